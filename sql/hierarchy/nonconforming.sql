-- Leaves for the values that a hierarchy has none for.
--
-- levels   one #missing or #top per level
-- last     the last level
-- domain   the attribute's values
-- members  the hierarchy's members
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

-- section: missing
-- What the missing value is at a level: missing, too, unless the hierarchy says something else.
--
-- level  the level
missing.{level}

-- section: top
-- The hierarchy's top.
topmost.top
