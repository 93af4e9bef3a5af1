-- A dimension table, for a script: the values of the source with their codes and their values at every level.
--
-- table    its name
-- type     the type of the source's column
-- levels   the level columns
-- members  one row per leaf that the source has
create temporary table {table} as
select
    true as present,
    cast(value as {type}) as value,
    code,
    {levels}
from (
    values
    {members}
) as members (value, code, {levels})
