-- Sizes of groups of rows with the same ungeneralized values of the quasi-identifiers.
--
-- values  the columns of the values
-- groups  #stayed, #stayed_of_source, or the base frequency set
--
-- One row per group.
select cast(sum(frequency) as bigint) as size
from {groups}
group by {values}

-- section: combinations
-- The same if each combination is one of quasi-identifiers alone, with its rows counted already.
--
-- base  the base frequency set
--
-- One row per combination.
select frequency as size
from {base}

-- section: stayed
-- The rows of a recoding that are not suppressed.
--
-- recoding  the recoding: code_1, code_2, …, frequency, suppressed
--
-- One row per row of the recoding.
(
    select *
    from {recoding}
    where not suppressed
)

-- section: stayed_of_source
-- The rows that are not suppressed, with the source's values: a recoding has values at the lowest level allowed by the
-- job, which may merge several.
--
-- values      their columns of the base frequency set: base.value_1, base.value_2, …
-- base        the base frequency set
-- dimensions  one star/star#join per attribute
-- recoding    the recoding: code_1, code_2, …, suppressed
-- match       one star/recoding/recode#match per attribute: the code of the value, and the code in the recoding
--
-- One row per row of the base frequency set with any released rows.
(
    select
        {values},
        base.frequency as frequency
    from {base} as base
    {dimensions}
    where exists (
        select 1
        from {recoding} as recoding
        where not recoding.suppressed
            and {match}
    )
)
