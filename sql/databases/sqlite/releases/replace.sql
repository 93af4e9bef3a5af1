-- Insert the rows of a release into its emptied table. Rows refused by one of its indexes end the transaction.
--
-- table    the table's name
-- columns  the columns of the table
-- rows     the checked release
insert or rollback into {table} ({columns})
select *
from (
    {rows}
)
where case when exists (select 1 from {table}) then abs(-9223372036854775808) else 1 end

-- section: other
-- Raise an error if the table is no release of the source, has other columns, or has triggers that would change counted
-- rows. A script replaces only rows in its own table.
--
-- name    the place of the release
-- origin  the origin of the source (a hash of its place)
-- ledger  the ledger (list of releases) in the same schema
-- width   the number of columns of the release
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

-- section: ready
-- Delete the rows of the previous release, if all recounts of the new release are finished.
--
-- table     the table's name
-- recounts  the number of recounts
delete from {table}
where (select count(*) from temp.starcloak_recounted) = {recounts}

-- section: emptied
-- Note that the rows of the previous release are deleted. If they are still there, the transaction is rolled back.
--
-- table  the table's name
update or rollback temp.starcloak_recounted
set emptied = not exists (select 1 from {table})

-- section: made
-- Condition: all recounts of the script are finished, and the rows of the previous release are deleted.
--
-- recounts  the number of recounts
where (select count(emptied) from temp.starcloak_recounted) = {recounts}

-- section: written
-- Note that the new rows are in the table, and that the last change is the entry in the ledger. Otherwise, such as on
-- a full disk, the transaction is rolled back, because the commit of the script would publish an emptied table.
--
-- table    the table's name
-- release  the release
update or rollback temp.starcloak_recounted
set written = changes() = 1
    and (select count(*) from {table}) = (
        select count(*)
        from (
            {release}
        )
    )

-- section: now
-- The current time, in the form of the ledger.
strftime('%Y-%m-%dT%H:%M:%f000+00:00', 'now')
