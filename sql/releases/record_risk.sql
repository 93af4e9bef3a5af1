-- Sizes of groups of rows with equal quasi-identifiers before generalization.
--
-- values  the columns of the values
-- groups  #stayed, #stayed_of_source, or the base frequency set
--
-- One row per group: its number of rows.
select cast(sum(frequency) as bigint) as size
from {groups}
group by {values}

-- section: combinations
-- Sizes of the groups of equal quasi-identifiers, if the base frequency set has no columns beside these and frequency.
--
-- base  the base frequency set: number of rows per combination of values
--
-- One row per combination of quasi-identifiers: its number of rows.
select frequency as size
from {base}

-- section: stayed
-- The tuples of a recoding that are not suppressed.
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
-- The tuples that are not suppressed, with values of the source. A recoding itself has values at the lowest level
-- allowed by the job; one such value may stand for several values of the source.
--
-- values      the columns of the values in the base frequency set: base.value_1, base.value_2, …
-- base        the base frequency set: number of rows per combination of values
-- dimensions  one star/star#join per attribute
-- released    #released, and star/recoding/persons#not_suppressed or star/recoding/persons#mapped, if any
--
-- One row per row of the base frequency set with released rows.
(
    select
        {values},
        base.frequency as frequency
    from {base} as base
    {dimensions}
    where {released}
)

-- section: released
-- Condition for a row of the base frequency set to have a tuple with released rows.
--
-- recoding  the recoding: code_1, code_2, …, suppressed
-- match     one star/recoding/recode#match per attribute: the code of the value, and the code in the recoding
exists (
    select 1
    from {recoding} as recoding
    where not recoding.suppressed
        and {match}
)
