-- Number of values of attributes, and rows of the most frequent ones of each.
--
-- $most   the largest number of frequencies shown
-- $least  the fewest rows of a shown value
-- values  #grouped of the recoding, and of the release
--
-- One row per attribute of either with a value: the place, the values, and the list of rows, largest first.
select
    place,
    count(*) as found,
    coalesce(list(rows order by rows desc) filter (where rows >= $least)[:$most], []) as frequent
from (
    {values}
)
group by place

-- section: grouped
-- The values of attributes, by one pass over their rows.
--
-- places  one #place per attribute
-- rows    the column of the rows
-- groups  #stayed, #stayed_of_source, or classes of the release
-- values  the attributes' columns, each in brackets
--
-- One row per attribute and value.
select
    case {places} end as place,
    cast(sum({rows}) as bigint) as rows
from {groups}
group by grouping sets ({values})

-- section: place
-- Number of an attribute.
--
-- value  its column
-- place  the attribute's place
when grouping({value}) = 0 then {place}

-- section: value
-- An attribute, grouped alone.
--
-- value  its column
({value})

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
