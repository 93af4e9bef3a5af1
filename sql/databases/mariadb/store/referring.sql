-- Tables with a foreign key that refers to a table, as far as the user knows of them. A rename moves the foreign key
-- along with the table, and the table cannot be dropped then. Some servers ignore the case of names; the catalog always
-- compares so.
--
-- $schema, $table  the table
--
-- One row per table with such a foreign key.
select distinct
    constraint_schema as "schema",
    table_name as "table"
from information_schema.referential_constraints
where unique_constraint_schema = $schema
    and (
        convert(referenced_table_name using utf8mb4) collate utf8mb4_nopad_bin = $table
        or (
            @@lower_case_table_names <> 0
            and lower(convert(referenced_table_name using utf8mb4)) collate utf8mb4_nopad_bin = lower($table)
        )
    )
order by
    constraint_schema,
    table_name
