-- section: filled
-- A table that a release needs beside the source, for a script: a view of constants, which nobody else sees.
--
-- table  its name
-- cells  its columns, each in its type
-- rows   one row of constants each
-- names  the names of the columns
create temporary view {table} as
select
    {cells}
from (
    values
    {rows}
) as given ({names})

-- section: kept_rows
-- Rows that stay as they are for the rest of a script: a view that is read once, and that nobody else sees.
--
-- name  the view's name
-- rows  the statement that yields them
cache table {name} as
{rows}
