-- The values of a quasi-identifier in the leaves of its hierarchy, with their texts at each level and their number of
-- rows in the source.
--
-- levels   the levels, from level_0 on
-- members  the members of the hierarchy: each leaf with its texts at every level
-- base     the base frequency set: number of rows per combination of values
-- value    the quasi-identifier's column of the base frequency set
--
-- One row per value; number is the value as a number, for sorting, and null for other texts.
select
    {levels},
    cast(sum(base.frequency) as bigint) as frequency,
    try_cast(cast(base.{value} as varchar) as double) as number
from {members} as member
inner join {base} as base
    on member.value is not distinct from base.{value}
where member.present
group by
    {levels},
    base.{value}

-- section: level
-- The first values of one level of a hierarchy, with their number of rows in the source; found is the number of all
-- values of the level.
--
-- level  the level's column
-- lines  commands/hierarchies
-- $most  the largest number of rows in the result
--
-- One row per value: numbers and ranges of numbers in ascending order, then other texts.
select
    {level} as label,
    cast(sum(frequency) as bigint) as rows,
    count(*) over () as found
from {lines}
group by {level}
order by
    min(number) nulls last,
    label nulls last
limit $most

-- section: first
-- The first values of a hierarchy, with their texts at each level and their number of rows in the source.
--
-- levels  the levels, from level_0 on
-- lines   commands/hierarchies
-- $most   the largest number of rows in the result
--
-- One row per value, in the order of #level.
select
    {levels},
    frequency
from {lines}
order by
    number nulls last,
    {levels}
limit $most
