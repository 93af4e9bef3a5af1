-- The values of an attribute without a leaf, for the custodian of the source alone.
--
-- value    its column of the base frequency set
-- members  the hierarchy's members
-- base     the base frequency set
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
-- Number of rows with such a value.
--
-- misfits  hierarchy/misfits
--
-- One row.
select cast(coalesce(sum(rows), 0) as bigint) as rows
from (
    {misfits}
)

-- section: places
-- Places of the values without a leaf among all values of the attribute in ascending order, the missing one last.
--
-- domain   the attribute's values
-- members  the hierarchy's members
--
-- One row per run of neighbours, in order.
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
-- The values of a column without a leaf, by their places in ascending order, for the custodian of the source.
--
-- column  the column as the source has it
-- origin  the statement with the rows
-- places  one #run per run of neighbours
--
-- One row per value. The missing one comes last; without this, databases would put it in different places.
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
-- Neighbouring places.
--
-- first  the first of them
-- last   the last of them
place between {first} and {last}

-- section: alone
-- A place without neighbours.
--
-- first  it
place = {first}
