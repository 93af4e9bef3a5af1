-- Rows that stay as they are for the rest of a script, whatever happens to the source meanwhile.
--
-- name  the temporary table's name
-- rows  the statement that yields them
create temporary table {name} as
{rows}
