-- How many columns have their own name among their values, as most have in a file whose first line is a row.
--
-- $names  the names
-- named   one #column per column, one added to the other
-- rows    the table
--
-- One row.
select {named} as named
from {rows}

-- section: column
-- 1 where a column's own name is one of its values.
--
-- $names  the names
-- column  the column
-- place   the position of its name
cast(coalesce(bool_or({column} = ($names)[{place}]), false) as integer)
