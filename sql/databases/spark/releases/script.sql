-- section: filled
-- A table needed by a release beside the source, for a script: a view of constants, invisible to others.
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
-- Rows unchanged for the rest of a script: a view read once, and invisible to others.
--
-- name  the view's name
-- rows  the statement with these rows
cache table {name} as
{rows}
