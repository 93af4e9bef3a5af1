-- section: builtins
-- Raise an error if the database has a macro with the name of a built-in function: the counts of this script would call
-- the macro. The functions in this statement are called by their schema, so that no macro can replace them.
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

-- section: forget
-- Drop a table left in the session by another script, so that this script does not go on with the other's rows.
--
-- table  a table made by this script
drop table if exists temp.main.{table}

-- section: create
-- Create a temporary table needed by a script in addition to the source, such as a hierarchy.
--
-- table    the table's name
-- columns  one store/column per column
create temporary table {table} (
    {columns}
)

-- section: fill
-- Insert rows into a temporary table of a script.
--
-- table  the table's name
-- rows   one row of constants each, such as `('53715', 0)`
insert into {table}
values
    {rows}

-- section: publish
-- Publish a release as a new table. If the table exists, the statement fails and the table stays unchanged.
--
-- table  the table's name
-- rows   the checked release
create table {table} as
{rows}

-- section: absent
-- Raise an error, before a script writes its release, if the file or DuckDB's temporary file beside it exists.
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
-- Open the database file to which a script writes the release.
--
-- path   its file, such as `'releases.duckdb'`
-- store  its name from here on
attach {path} as {store}

-- section: comment
-- Mark a table as a release by its comment: a later run replaces only marked tables.
--
-- table  the table's name
-- mark   the mark, such as `'made by starcloak'`
comment on table {table} is {mark}
