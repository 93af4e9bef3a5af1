-- section: unmarked
-- Refuse a table that is no release of the source: a script takes the place of its own alone.
--
-- database  the database of the release
-- schema    its schema
-- name      its name
-- mark      the comment of its releases
--
-- One row, or an error, which ends the transaction.
select
    case
        when count(*) > 0
        then error('what is no release of this source has the name of the release: nothing is released')
        else true
    end as unmarked
from duckdb_tables()
where database_name = {database}
    and lower(schema_name) = lower({schema})
    and lower(table_name) = lower({name})
    and comment is distinct from {mark}

-- section: other, dialect: postgresql
-- Refuse a table that is no release of the source, one of other columns, or one whose triggers or rules would change
-- rows that were counted: a script takes the place of its own alone, with its grants and its views. PostgreSQL has no
-- function that fails, so that a text is taken for a number.
--
-- place   where the release goes, as a quoted name
-- name    its name
-- origin  what tells its source from others
-- ledger  the ledger beside it
-- width   how many columns it has
--
-- One row, and one that stays.
insert into pg_temp.starcloak_recounted
select
    case
        when count(*) > 0 and not bool_or(
            relation.relkind = 'r'
            and not relation.relhastriggers
            and not relation.relhasrules
            and not row_security_active(relation.oid)
            and not exists (
                select
                from pg_inherits
                where inhparent = relation.oid
            )
            and exists (
                select
                from {ledger}
                where "release" = {name}
                    and origin = {origin}
                    and dimension_of is null
            )
            and {width} = (
                select count(*)
                from pg_attribute
                where attrelid = relation.oid
                    and attnum > 0
                    and not attisdropped
            )
            and {width} = (
                select count(*)
                from pg_attribute as old
                join pg_attribute as new
                    using (attname, atttypid, atttypmod, attcollation)
                where old.attrelid = relation.oid
                    and new.attrelid = cast('pg_temp.starcloak_release' as regclass)
                    and old.attnum > 0
                    and new.attnum > 0
            )
        )
        then cast(
            left(
                'no release of this source with these columns has the name of the release: nothing is released',
                99 + cast(0 * count(*) as integer)
            ) as integer
        )
        else 0
    end
from pg_class as relation
where relation.oid = to_regclass({place})
returning recounted

-- section: other, dialect: sqlite
-- Refuse a table that is no release of the source, one of other columns, or one whose triggers would change rows that
-- were counted: a script takes the place of its own alone.
--
-- name    where the release goes
-- origin  what tells its source from others
-- ledger  the ledger beside it
-- width   how many columns it has
insert or rollback into temp.starcloak_recounted (in_place)
select
    count(*) = 0
    or (
        min(type) = 'table'
        and not exists (
            select 1
            from main.sqlite_master
            where type = 'trigger'
                and lower(tbl_name) = lower({name})
        )
        and exists (
            select 1
            from {ledger}
            where lower("release") = lower({name})
                and origin = {origin}
                and dimension_of is null
        )
        and {width} = (
            select count(*)
            from pragma_table_info({name}, 'main')
        )
        and {width} = (
            select count(*)
            from pragma_table_info({name}, 'main') as old
            join pragma_table_info('starcloak_release', 'temp') as new
                on new.name = old.name
                and new.type = old.type
        )
    )
from main.sqlite_master
where lower(name) = lower({name})
    and type in ('table', 'view')

-- section: ledger
-- The ledger of a schema, where there is none yet.
--
-- ledger  its name
-- shape   one store/column per column
create table if not exists {ledger} (
    {shape}
)

-- section: first
-- The table of a release where there is none yet.
--
-- table  its name
-- rows   the checked release
create table if not exists {table} as
{rows}

-- section: ready, dialect: postgresql
-- Have nobody else write to the table of a release, lest the rows of two scripts stand in it.
--
-- table  its name
lock table {table} in share row exclusive mode

-- section: ready, dialect: sqlite
-- Take the rows of the release before away, once all recounts of the new one have been made.
--
-- table     its name
-- recounts  how many recounts there are
delete from {table}
where (select count(*) from temp.starcloak_recounted) = {recounts}

-- dialect: postgresql
-- Put the rows of a release in the place of those before, by one statement: a client may take one back and go on.
--
-- table    its name
-- columns  its columns
-- rows     the checked release
with emptied as (
    delete from {table}
)
insert into {table} ({columns})
{rows}

-- dialect: sqlite
-- The rows of a release, into its table that was emptied. What an index of it refuses ends the transaction.
--
-- table    its name
-- columns  its columns
-- rows     the checked release
insert or rollback into {table} ({columns})
select *
from (
    {rows}
)
where case when exists (select 1 from {table}) then abs(-9223372036854775808) else 1 end

-- dialect: mariadb
-- Put a release in the place of the one before by one rename, unless a recount of it has not been made, or a table that
-- is no release of the source stands there. Whoever reads sees the one or the other.
--
-- table     where the release goes
-- schema    its schema
-- name      its name
-- new       where it is staged
-- old       where the one before it goes
-- origin    what tells its source from others
-- ledger    the ledger beside it
-- shape     one store/column per column of that
-- recounts  how many recounts there are
-- rows      the checked release
-- entry     #entry
begin not atomic
    if (select count(*) from starcloak_recounted) <> {recounts} then
        signal sqlstate '45000' set message_text = 'not recounted: nothing is released';
    end if;
    create table if not exists {ledger} (
        {shape}
    );
    if exists (
        select 1
        from information_schema.tables
        where table_schema = {schema}
            and table_name = {name}
    ) and not exists (
        select 1
        from {ledger}
        where "release" = {name}
            and origin = {origin}
            and dimension_of is null
    ) then
        signal sqlstate '45000'
            set message_text = 'no release of this source has the name of the release: nothing is released';
    end if;
    drop table if exists {old}, {new};
    create table {new} as
    {rows};
    if exists (
        select 1
        from information_schema.tables
        where table_schema = {schema}
            and table_name = {name}
    ) then
        rename table {table} to {old}, {new} to {table};
        drop table {old};
    else
        rename table {new} to {table};
    end if;
    {entry};
end

-- section: entry
-- The entry of a script's release in the ledger, by no run.
--
-- ledger   the ledger
-- now      #now
-- name     the release
-- source   its source, in words
-- origin   what tells that from others
-- k        k of its requirement
-- version  of starcloak
-- made     #made, or nothing
insert into {ledger} (run, released_at, "release", source, origin, k, starcloak, number)
select
    '',
    {now},
    {name},
    {source},
    {origin},
    {k},
    {version},
    (select coalesce(max(number), 0) + 1 from {ledger})
{made}

-- section: made, dialect: postgresql
-- That all recounts have been made.
--
-- recounts  how many there are
where (select count(*) from pg_temp.starcloak_recounted) = {recounts}

-- section: made, dialect: sqlite
-- That all recounts have been made.
--
-- recounts  how many there are
where (select count(*) from temp.starcloak_recounted) = {recounts}

-- section: now, dialect: mariadb
-- The time as the ledger has it.
date_format(utc_timestamp(6), '%Y-%m-%dT%H:%i:%s.%f+00:00')

-- section: now, dialect: postgresql
-- The time as the ledger has it.
to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')

-- section: now, dialect: sqlite
-- The time as the ledger has it.
strftime('%Y-%m-%dT%H:%M:%f000+00:00', 'now')
