-- The types that the values of a statement's columns have: the first and the last by name, missing values apart.
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
-- The first of the types that a column's values have.
--
-- column  the column
min(case when {column} is not null then typeof({column}) end)

-- section: last_type
-- The last of the types that a column's values have.
--
-- column  the column
max(case when {column} is not null then typeof({column}) end)
