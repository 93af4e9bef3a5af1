-- The members of a declared hierarchy, each with the source's value where the source has it.
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
