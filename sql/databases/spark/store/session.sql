-- section: current_schema
-- The catalog and the schema of tables named without them. For values, Spark starts no job.
--
-- One row.
select
    current_catalog() as catalog,
    current_schema() as schema
from (values (1)) as one (number)
