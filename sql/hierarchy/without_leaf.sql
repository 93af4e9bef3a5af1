-- How many values of the source have no leaf, and whether the missing value is one of them.
--
-- domain   the attribute's values
-- members  the hierarchy's members
--
-- One row. Not exists, not not in: a missing leaf would make not in find nothing.
select
    count(*) as values,
    coalesce(bool_or(domain.value is null), false) as missing
from {domain} as domain
where not exists (
    select 1
    from {members} as member
    where member.present
        and member.value is not distinct from domain.value
)
