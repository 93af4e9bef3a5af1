-- Tables with a foreign key that refers to a table, as far as the user knows of them. A rename moves the foreign key along
-- with the table, and the table cannot be dropped then.
--
-- $schema, $table  the table
--
-- One row per table with such a foreign key.
select distinct
    constraint_schema as "schema",
    table_name as "table"
from information_schema.referential_constraints
where unique_constraint_schema = $schema
    and referenced_table_name = $table
order by
    constraint_schema,
    table_name
