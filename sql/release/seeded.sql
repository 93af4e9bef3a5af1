-- The rows of a table that a release needs, for a dbt seed.
--
-- cells  one #cell per column
-- rows   the rows
--
-- One row each, in order.
select
    {cells}
from (
    {rows}
)
order by all

-- section: cell
-- A cell as release/model#seed_cell reads it; a missing one stays missing.
--
-- column  the column
'=' || cast({column} as varchar) as {column}
