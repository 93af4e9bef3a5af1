-- Types of the values in a statement's columns: the first and the last by name, without missing values.
--
-- types  one #first_type and one #last_type per column
-- rows   the statement
--
-- One row.
select
    {types}
from (
    {rows}
) as described

-- section: first_type
-- The type of a column's values that is first in alphabetical order.
--
-- column  the column
min(case when {column} is not null then typeof({column}) end)

-- section: last_type
-- The type of a column's values that is last in alphabetical order.
--
-- column  the column
max(case when {column} is not null then typeof({column}) end)
