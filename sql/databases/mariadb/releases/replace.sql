-- Put a release in the place of the one before by one rename, unless one of its recounts is missing, or the table there
-- is no release of the source. A reader sees one of the two.
--
-- table     the place of the release
-- schema    the table's schema
-- name      the table's name
-- new       its staged table
-- old       the new name of the release before
-- origin    the origin of its source
-- ledger    the ledger beside it
-- shape     one store/column per column of the ledger
-- recounts  the number of recounts
-- rows      the checked release
-- entry     #entry
begin not atomic
    if (select count(*) from starcloak_recounted) <> {recounts} then
        signal sqlstate '45000' set message_text = 'not recounted: nothing is released; run the script again';
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
            set message_text = 'the table in the place of the release is none of this source; nothing is '
            'released; rename it';
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

-- section: now
-- The time as the ledger has it.
date_format(utc_timestamp(6), '%Y-%m-%dT%H:%i:%s.%f+00:00')
