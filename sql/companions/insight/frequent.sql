-- Number of distinct values of each attribute, and numbers of rows with the attribute's most frequent values.
--
-- $most   the largest number of frequencies shown
-- $least  the fewest rows of a shown value
-- values  #grouped of the recoding, united with #grouped of the release
--
-- One row per attribute with a value, in the recoding or in the release: the attribute's place, the number of values,
-- and a list of numbers of rows, largest first.
select
    place,
    count(*) as found,
    coalesce(list(rows order by rows desc) filter (where rows >= $least)[:$most], []) as frequent
from (
    {values}
)
group by place

-- section: grouped
-- Number of rows with each value of several attributes, counted in one pass.
--
-- places  one #place per attribute
-- rows    the column with the number of rows
-- groups  releases/record_risk#stayed, releases/record_risk#stayed_of_source, or classes of the
--         release
-- values  the attributes' columns, each in brackets
--
-- One row per attribute and value.
select
    case {places} end as place,
    cast(sum({rows}) as bigint) as rows
from {groups}
group by grouping sets ({values})

-- section: place
-- The place (number) of the attribute grouped by.
--
-- value  the attribute's column
-- place  the attribute's place
when grouping({value}) = 0 then {place}

-- section: value
-- A grouping set of one attribute.
--
-- value  the attribute's column
({value})
