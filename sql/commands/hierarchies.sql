-- The values of a quasi-identifier with a leaf, from the leaf to the top, with their rows in the source.
--
-- levels   the levels, from level_0 on
-- members  the hierarchy's members
-- base     the base frequency set
-- value    its column there
--
-- One row per value. Numbers among them have a place in ascending order, whatever their type is.
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
-- The first values of a level, with their rows in the source and with how many values there are.
--
-- level  its column
-- lines  commands/hierarchies
-- $most  the most rows to yield
--
-- One row per value: numbers and their ranges in ascending order, then the others.
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
-- The first values, from the leaf to the top, with their rows in the source.
--
-- levels  the levels, from level_0 on
-- lines   commands/hierarchies
-- $most   the most rows to yield
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
