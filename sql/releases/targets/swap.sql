-- section: renamed
-- One renaming of a table, as part of the statement that renames several tables.
--
-- table  the table
-- name   the other name
{table} to {name}
