-- The release of a full-domain generalization as somebody would write it who knows the levels.
--
-- table     its name
-- columns   the released columns, generalized by expressions
-- source    the source
-- shuffled  order.sql, or nothing
create table {table} as
select
    {columns}
from {source}
{shuffled}
