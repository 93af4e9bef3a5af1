-- The members of a declared hierarchy, each with its value in the source, if any.
--
-- levels    level_1, level_2, …
-- declared  the hierarchy's lines; every leaf once
-- domain    the attribute's values
--
-- One row per line.
select
    coalesce(domain.present, false) as present,
    domain.value,
    declared.level_0,
    {levels}
from {declared} as declared
left join (
    select
        true as present,
        value,
        cast(value as varchar) as level_0
    from {domain}
) as domain
    on domain.level_0 is not distinct from declared.level_0

-- section: leaves_twice
-- Number of leaves declared more than once in a hierarchy.
--
-- declared  the hierarchy's lines
--
-- One row.
select count(*) as leaves
from (
    select level_0
    from {declared}
    group by level_0
    having count(*) > 1
)
