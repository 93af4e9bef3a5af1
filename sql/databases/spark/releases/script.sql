-- section: filled
-- Create a temporary view needed by a script in addition to the source, such as a hierarchy: its rows are constants.
--
-- table  the table's name
-- cells  the columns of the table, each cast to its type
-- rows   one row of constants each
-- names  the names of the columns
create temporary view {table} as
select
    {cells}
from (
    values
    {rows}
) as given ({names})
