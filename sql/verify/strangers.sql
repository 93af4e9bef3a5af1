-- How many values of a staged column are no value of its levels.
--
-- column   the staged column
-- release  the statement that reads it back
-- table    the attribute's dimension table
-- levels   the columns of its levels
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
    from (
        select distinct unnest([{levels}]) as known
        from {table}
        where present
    ) as member
    where member.known is not distinct from staged.released
)
