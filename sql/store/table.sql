-- section: create
-- Create a table for rows of a run, such as an unpublished release (a table of the staging area).
--
-- table    the table's name
-- columns  one store/column per column
create table {table} (
    {columns}
)

-- section: drop
-- Drop a table with rows of a run (a table of the staging area).
--
-- table  the table's name
drop table {table}

-- section: empty
-- Delete all rows of the previous release; other users still read them until the transaction ends.
--
-- table  the release
delete from {table}

-- section: insert
-- Insert rows into an existing table, such as a release's rows into the table of the previous release, which keeps its
-- grants and dependent objects.
--
-- table    the table
-- release  the statement with the inserted rows
insert into {table}
{release}

-- section: rename
-- Rename a staged table to an unused name.
--
-- staged  the staged table
-- name    the new name, in the same schema
alter table {staged} rename to {name}

-- section: keep
-- Create a table of the staging area with some rows of a run. A rollback of the transaction removes the table.
--
-- table  the table's name
-- rows   the statement with these rows
create table {table} as
{rows}
