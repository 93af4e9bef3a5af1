-- section: filled
-- A table needed by a release beside the source, for a script: a view of constants, invisible to others.
--
-- table  the table's name
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
