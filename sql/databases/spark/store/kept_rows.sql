-- Create a temporary view with some rows, unchanged for the rest of a script: Spark reads the rows once.
--
-- name  the view's name
-- rows  the statement with the rows
cache table {name} as
{rows}
