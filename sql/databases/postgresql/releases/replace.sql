-- Put the rows of a release in the place of the rows before, by one statement, because a client may roll back a failed
-- statement and go on with the script.
--
-- table    the table's name
-- columns  its columns
-- rows     the checked release
with emptied as (
    delete from {table}
)
insert into {table} ({columns})
{rows}

-- section: other
-- Refuse a table that is no release of the source, has other columns, or has triggers or rules that would change
-- counted rows: a script replaces only its own table, with its grants and its views.
--
-- place   the place of the release, as a quoted name, such as `'"public"."released"'`
-- name    the table's name
-- origin  the origin of its source
-- ledger  the ledger beside it
-- width   how many columns it has
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
-- Have nobody else write to the table of a release, lest the rows of two scripts stand in it.
--
-- table  the table's name
lock table {table} in share row exclusive mode

-- section: made
-- Condition for finished recounts.
--
-- recounts  how many there are
where (select count(*) from pg_temp.starcloak_recounted) = {recounts}

-- section: now
-- The time as the ledger has it.
to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')
