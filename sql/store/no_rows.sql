-- The columns of a statement, and none of its rows.
--
-- rows  the statement
select *
from (
    {rows}
) as described
limit 0
