-- The rows of a table that a release needs, for a dbt seed.
--
-- cells  one release/seeded_cell per column
-- rows   the rows
--
-- One row each, in order.
select
    {cells}
from (
    {rows}
)
order by all
