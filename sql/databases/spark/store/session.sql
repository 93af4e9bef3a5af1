-- section: current_schema
-- The catalog and the schema in which a table is made that is named without them. Of values, Spark starts no job.
--
-- One row.
select
    current_catalog() as catalog,
    current_schema() as schema
from (values (1)) as one (number)
