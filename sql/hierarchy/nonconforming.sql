-- New leaves for source values without a leaf in the hierarchy, by the setting nonconforming.
--
-- levels   one #missing or #top per level
-- last     the column of the last level
-- domain   the attribute's values
-- members  the members of the hierarchy: each leaf with its texts at every level
--
-- One row per value of the source without a leaf.
select
    true as present,
    domain.value,
    cast(domain.value as varchar) as level_0,
    {levels}
from {domain} as domain
cross join (
    select coalesce(max({last}), '*') as top
    from {members}
) as topmost
left join {members} as missing
    on missing.level_0 is null
where not exists (
    select 1
    from {members} as member
    where member.present
        and member.value is not distinct from domain.value
)

-- section: values
-- The values without a leaf in a hierarchy, the missing value excluded.
--
-- domain   the attribute's values
-- members  the members of the hierarchy: each leaf with its texts at every level
--
-- One row per such value.
select domain.value
from {domain} as domain
where domain.value is not null
    and not exists (
        select 1
        from {members} as member
        where member.present
            and member.value is not distinct from domain.value
    )

-- section: cells
-- Number of cells of a source column with a value absent from the hierarchy.
--
-- value    the column of the base frequency set
-- base     the base frequency set: number of rows per combination of values
-- without  the table of #values
--
-- One row: the number of these cells, and the number of all cells with a value.
select
    cast(coalesce(sum(base.frequency) filter (where without.value is not null), 0) as bigint) as cells,
    cast(coalesce(sum(base.frequency), 0) as bigint) as present
from {base} as base
left join {without} as without
    on without.value = base.{value}
where base.{value} is not null

-- section: missing
-- The label of the missing value at a level; missing unless the hierarchy declares the missing value.
--
-- level  the column of the level
missing.{level}

-- section: top
-- The hierarchy's top.
topmost.top
