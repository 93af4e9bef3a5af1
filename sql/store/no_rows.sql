-- The columns of a statement without any of its rows, to describe the columns.
--
-- rows  the statement
select *
from (
    {rows}
) as described
limit 0
