-- section: unmarked
-- Raise an error if the table to be replaced is not marked, by its comment, as a release of the same source.
--
-- database  the database of the release, such as `'hospital'`
-- schema    the table's schema
-- name      the table's name
-- mark      the comment of its releases
--
-- One row, or an error, which ends the transaction.
select
    case
        when count(*) > 0
        then error('the table in the place of the release is none of this source; nothing is released; rename it')
        else true
    end as unmarked
from duckdb_tables()
where database_name = {database}
    and lower(schema_name) = lower({schema})
    and lower(table_name) = lower({name})
    and comment is distinct from {mark}

-- section: ledger
-- Create the ledger of a schema (the table that lists its releases), if there is none yet.
--
-- ledger  the ledger's name
-- shape   one store/column per column
create table if not exists {ledger} (
    {shape}
)

-- section: first
-- Create the table of a release, if there is none yet.
--
-- table  the table's name
-- rows   the checked release
create table if not exists {table} as
{rows}

-- section: entry
-- Add a script's release to the ledger. The column run is empty, because no run of starcloak published the release.
--
-- ledger   the ledger
-- now      #now
-- name     the name of the release
-- named    the names of its columns, as a JSON list
-- source   the name of the source
-- origin   the origin of the source (a hash of its place)
-- k        k of the requirement
-- version  the version of starcloak
-- made     #made: the condition for finished recounts; or nothing
insert into {ledger} (run, released_at, "release", column_names, source, origin, k, starcloak, number)
select
    '',
    {now},
    {name},
    {named},
    {source},
    {origin},
    {k},
    {version},
    (select coalesce(max(number), 0) + 1 from {ledger})
{made}
