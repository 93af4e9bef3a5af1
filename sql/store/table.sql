-- section: create
-- A table of the staging area.
--
-- table    the table's name
-- columns  one store/column per column
create table {table} (
    {columns}
)

-- section: drop
-- Remove a table of the staging area.
--
-- table  the table's name
drop table {table}

-- section: empty
-- Take the old release's rows away; until the transaction ends, others go on reading them.
--
-- table  the release
delete from {table}

-- section: insert
-- The rows of a release into the table of the one before, with its grants and dependent objects; or any rows into an
-- existing table.
--
-- table    the release
-- release  the statement with its rows
insert into {table}
{release}

-- section: rename
-- Put a staged table in an empty place.
--
-- staged  the staged table
-- name    its name from then on, in the same schema
alter table {staged} rename to {name}

-- section: keep
-- Rows kept by a run in the staging area. A rollback of the transaction removes them.
--
-- table  the table's name
-- rows   the statement with these rows
create table {table} as
{rows}
