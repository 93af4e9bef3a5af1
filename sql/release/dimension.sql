-- A dimension table, for a script: what the release needs of it.
--
-- table      its name
-- type       the type of the source's column
-- level      the level's column
-- ancestor   the level's ancestor column
-- members    one release/member per leaf that the source has
create temporary table {table} as
select
    true as present,
    cast(value as {type}) as value,
    {level},
    {ancestor}
from (
    values
    {members}
) as members (value, {level}, {ancestor})
