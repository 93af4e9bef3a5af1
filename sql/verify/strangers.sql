-- How many values of a staged column are no value of its level.
--
-- column   the staged column
-- release  the statement that reads it back
-- table    the attribute's dimension table
-- level    the level's column
--
-- One row. Texts are compared, as a recipient reads them.
select count(*) as strangers
from (
    select distinct decode(encode(cast({column} as varchar))) as released
    from (
{release}
    )
) as staged
where not exists (
    select 1
    from {table} as member
    where member.present
        and member.{level} is not distinct from staged.released
)
