-- A dbt seed as a table that a release needs.
--
-- name   its name
-- cells  one release/seed_cell per column
-- seed   the seed
{name} as (
    select
        {cells}
    from {seed}
)
