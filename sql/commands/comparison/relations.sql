-- The tables and views of the working store, without those of an attached database.
--
-- One row per relation.
select
    table_name as name,
    false as is_view
from duckdb_tables()
where database_name in ('memory', 'temp')
union all
select
    view_name as name,
    true as is_view
from duckdb_views()
where database_name in ('memory', 'temp')
    and not internal
