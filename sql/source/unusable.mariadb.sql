-- How many values of a floating-point quasi-identifier cannot be told apart safely: negative zero. MariaDB keeps
-- neither NaN nor infinities.
--
-- column  the quasi-identifier
-- source  the source
--
-- One row.
select count(*) as unusable
from {source} as source
where cast({column} as char) = '-0'
