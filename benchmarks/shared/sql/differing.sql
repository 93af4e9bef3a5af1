-- How many rows one of two tables has more often than the other.
--
-- one    a table
-- other  another one
--
-- One row.
select count(*) as differing
from (
    (select * from {one} except all select * from {other})
    union all
    (select * from {other} except all select * from {one})
) as differences
