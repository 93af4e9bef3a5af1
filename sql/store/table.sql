-- section: create
-- A table of the staging area.
--
-- table    its name
-- columns  one store/column per column
create table {table} (
    {columns}
)

-- section: drop
-- Remove a table of the staging area.
--
-- table  its name
drop table {table}

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

-- section: keep
-- Rows that a run keeps in the staging area. They are gone where the transaction is rolled back.
--
-- table  the table's name
-- rows   the statement that yields them
create table {table} as
{rows}
