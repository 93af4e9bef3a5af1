-- Create a temporary table with some rows, unchanged for the rest of a script even if the source changes.
--
-- name  the temporary table's name
-- rows  the statement with the rows
create temporary table {name} on commit drop as
{rows}
