-- Rows unchanged for the rest of a script: a view read once, and invisible to others.
--
-- name  the view's name
-- rows  the statement with these rows
cache table {name} as
{rows}
