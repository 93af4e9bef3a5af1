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
