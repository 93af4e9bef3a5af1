-- section: builtins
-- Refuse to go on in a database with a macro named like a built-in function: a recount would call that macro. The
-- functions used here are named with their schema, so that no macro can replace them.
--
-- One row, or an error.
select
    case
        when exists (
            select 1
            from system.main.duckdb_functions() as own
            join system.main.duckdb_functions() as builtin
                on system.main.lower(own.function_name) = builtin.function_name
                and builtin.internal
            where not own.internal
        )
        then system.main.error(
            'the database has a macro by the name of a built-in function, which would count in its place: drop it; '
            'nothing is released'
        )
        else true
    end as builtins

-- section: create
-- A table needed by a release beside the source, for a script.
--
-- table    the table's name
-- columns  one store/column per column
create temporary table {table} (
    {columns}
)

-- section: fill
-- Rows of a table needed by a release, for a script.
--
-- table  the table's name
-- rows   one row of constants each, such as `('53715', 0)`
insert into {table}
values
    {rows}

-- section: publish
-- Publish a script's release as a table; an existing one stays.
--
-- table  the table's name
-- rows   the checked release
create table {table} as
{rows}

-- section: absent
-- Refuse, before a script writes its release, a file that would be lost: an existing one stays.
--
-- path   the file of the release, as a pattern, such as `'release.csv'`
-- aside  DuckDB's name for the incomplete file, as a pattern
--
-- One row, or an error, which ends the transaction.
select
    case
        when count(*) > 0
        then error('a file is in the place of the release, or one of its name after tmp_; nothing is released; move it')
        else true
    end as absent
from glob([{path}, {aside}])

-- section: attach
-- Open the database of the release.
--
-- path   its file, such as `'releases.duckdb'`
-- store  its name from here on
attach {path} as {store}

-- section: comment
-- Mark a table as a release, so that a later run may replace it.
--
-- table  the table's name
-- mark   the mark, such as `'made by starcloak'`
comment on table {table} is {mark}
