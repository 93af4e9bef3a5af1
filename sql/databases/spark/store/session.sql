-- section: current_schema
-- The default catalog and schema, for tables named without them. Spark starts no job for a VALUES clause.
--
-- One row.
select
    current_catalog() as catalog,
    current_schema() as schema
from (values (1)) as one (number)
