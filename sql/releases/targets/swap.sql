-- section: renamed
-- A table under another name.
--
-- table  the table
-- name   the other name
{table} to {name}
