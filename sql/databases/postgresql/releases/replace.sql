-- Replace the rows of the previous release by the rows of the new release, in one statement, because a client may roll
-- back a failed statement and go on with the script. A row notes it for the ledger's entry.
--
-- table    the table's name
-- columns  the columns of the table
-- rows     the checked release
with emptied as (
    delete from {table}
),
filled as (
    insert into {table} ({columns})
    select *
    from (
        {rows}
    ) as checked
    returning 1
)
insert into pg_temp.starcloak_recounted
select count(*)
from filled

-- section: other
-- Raise an error if the table is no release of the source, has other columns, or has triggers or rules that would
-- change counted rows. A script replaces only rows in its own table; grants and views stay.
--
-- place   the place of the release, as a quoted name, such as `'"public"."released"'`
-- name    the table's name
-- origin  the origin of the source (a hash of its place)
-- ledger  the ledger (list of releases) in the same schema
-- width   the number of columns of the release
--
-- One permanent row.
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
        then pg_temp.starcloak_refuse(
            'the table in the place of the release is none of this source, or has other columns; nothing is '
            'released; rename it'
        )
        else 0
    end
from pg_class as relation
where relation.oid = to_regclass({place})
returning recounted

-- section: ready
-- Lock the table of a release against other writers, so that the rows of two scripts do not mix.
--
-- table  the table's name
lock table {table} in share row exclusive mode

-- section: made
-- Condition: all recounts of the script are finished, and the rows are replaced.
--
-- recounts  the number of recounts
where (select count(*) from pg_temp.starcloak_recounted) = {recounts} + 1

-- section: now
-- The current time, in the form of the ledger.
to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')
