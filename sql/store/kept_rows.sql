-- Rows unchanged for the rest of a script, whatever happens to the source meanwhile.
--
-- name  the temporary table's name
-- rows  the statement with these rows
create temporary table {name} as
{rows}
