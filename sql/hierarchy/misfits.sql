-- The values of an attribute that have no leaf, for the custodian of the source alone.
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
-- How many rows have such a value.
--
-- misfits  hierarchy/misfits
--
-- One row.
select cast(coalesce(sum(rows), 0) as bigint) as rows
from (
    {misfits}
)
