-- A dimension table of the source's database: its columns are leaf, level 1, …, top.
--
-- levels  hierarchy/cast per column, as level_0, level_1, …
-- table   the table
--
-- One row per row of the table.
select
    {levels}
from {table}
