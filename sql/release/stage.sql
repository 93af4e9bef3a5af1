-- Rows that a model reads once and no more, whatever happens to their source meanwhile.
--
-- name  what they go by
-- rows  the statement that yields them
{name} as materialized (
    {rows}
)
