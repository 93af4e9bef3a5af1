-- section: create
-- A table of the staging area.
--
-- table    its name
-- columns  one store/column per column
create table {table} (
    {columns}
)

-- section: create, dialect: mariadb
-- A table of the staging area: nobody else sees it, and it is gone with the connection.
--
-- table    its name
-- columns  one store/column per column
create temporary table {table} (
    {columns}
)

-- section: create, dialect: postgresql
-- A table of the staging area. It is gone where the transaction is rolled back.
--
-- table    its name
-- columns  one store/column per column
create unlogged table {table} (
    {columns}
)

-- section: drop
-- Remove a table of the staging area.
--
-- table  its name
drop table {table}

-- section: drop, dialect: mariadb
-- Remove a table, if it is there. Nothing here is undone by a rollback.
--
-- table  its name
drop table if exists {table}

-- section: empty
-- Take the old release's rows away; until the transaction ends, others go on reading them.
--
-- table  the release
delete from {table}

-- section: insert
-- The rows of a release into the table of the one before, which keeps its grants and what depends on it; or any rows
-- into a table that is there.
--
-- table    the release
-- release  star/recoding/recode or star/recoding/recode_locally
insert into {table}
{release}

-- section: rename
-- Put a staged table where there is none.
--
-- staged  the staged table
-- name    its name from then on, in the same schema
alter table {staged} rename to {name}

-- section: leftovers, dialect: mariadb
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

-- section: keep
-- Rows that a run keeps in the staging area. They are gone where the transaction is rolled back.
--
-- table  the table's name
-- rows   the statement that yields them
create table {table} as
{rows}

-- section: keep, dialect: mariadb
-- Rows that a run keeps in the staging area: nobody else sees them, and they are gone with the connection.
--
-- table  the table's name
-- rows   the statement that yields them
create temporary table {table} as
{rows}

-- section: keep, dialect: postgresql
-- Rows that a run keeps in the staging area. They are gone where the transaction is rolled back.
--
-- table  the table's name
-- rows   the statement that yields them
create unlogged table {table} as
{rows}
