-- Tables that begin with a prefix: what runs on a target that were killed left of their staging.
--
-- $schema, $prefix  where they are, and how they begin
--
-- One row per table.
select table_name as "table"
from information_schema.tables
where table_schema = $schema
    and left(table_name, char_length($prefix)) = $prefix
order by table_name
