-- Values of an attribute absent from the leaves of its hierarchy, for the custodian of the source alone.
--
-- value    the attribute's column of the base frequency set
-- members  the members of the hierarchy: each leaf with its texts at every level
-- base     the base frequency set: number of rows per combination of values
--
-- One row per value, the most frequent first.
select
    cast(base.{value} as varchar) as value,
    cast(sum(base.frequency) as bigint) as rows
from {base} as base
where not exists (
    select 1
    from {members} as member
    where member.present
        and member.value is not distinct from base.{value}
)
group by base.{value}
order by
    rows desc,
    value

-- section: count
-- Number of rows of the source with a value without a leaf.
--
-- misfits  hierarchy/misfits
--
-- One row.
select cast(coalesce(sum(rows), 0) as bigint) as rows
from (
    {misfits}
)

-- section: places
-- Positions of the values without a leaf in the ascending order of all values of the attribute, the missing value last.
--
-- domain   the attribute's values
-- members  the members of the hierarchy: each leaf with its texts at every level
--
-- One row per run of adjacent positions, in ascending order.
select
    min(place) as first,
    max(place) as last
from (
    select
        place,
        place - row_number() over (order by place) as run
    from (
        select
            value,
            row_number() over (order by value nulls last) as place
        from {domain}
    ) as domain
    where not exists (
        select 1
        from {members} as member
        where member.present
            and member.value is not distinct from domain.value
    )
)
group by run
order by first

-- section: shown
-- Values of a column at given positions in ascending order, for the custodian of the source.
--
-- column  the column as the source has it
-- origin  the statement with the rows
-- places  one #run per run of adjacent positions
--
-- One row per value. The missing value is explicitly last, since databases order missing values differently.
select
    value,
    frequency as "rows"
from (
    select
        value,
        count(*) as frequency,
        row_number() over (order by case when value is null then 1 else 0 end, value) as place
    from (
        select {column} as value
        from (
            {origin}
        ) as origin
    ) as cells
    group by value
) as placed
where {places}
order by place

-- section: run
-- Condition for the values at a run of adjacent positions.
--
-- first  the first position
-- last   the last position
place between {first} and {last}

-- section: alone
-- Condition for the value at a single position.
--
-- first  the position
place = {first}
