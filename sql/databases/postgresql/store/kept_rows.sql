-- Rows unchanged for the rest of a script, whatever happens to the source meanwhile; they end with it.
--
-- name  the temporary table's name
-- rows  the statement with these rows
create temporary table {name} on commit drop as
{rows}
