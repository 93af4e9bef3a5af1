-- Number of columns with their own name among their values. Many such columns show that the first line of a file is a
-- row in place of names.
--
-- $names  the names
-- named   one #column per column, one added to the other
-- rows    the table
--
-- One row.
select {named} as named
from {rows}

-- section: column
-- 1 if a column's own name is one of its values.
--
-- $names  the names
-- column  the column
-- place   the position of its name
cast(coalesce(bool_or({column} = ($names)[{place}]), false) as integer)
