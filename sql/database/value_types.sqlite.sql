-- The types that the values of a statement's columns have: the first and the last by name, missing values apart.
--
-- types  one database/first_type and one database/last_type per column
-- rows   the statement
--
-- One row.
select
    {types}
from (
    {rows}
) as described
