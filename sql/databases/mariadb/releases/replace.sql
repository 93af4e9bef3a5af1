-- Replace the previous release by the new release in one rename. Nothing is renamed if a recount of the new release is
-- missing, or if the table there has not the name and the columns of a release of the source. A reader sees one of the
-- two releases. The lock of the place keeps runs and other scripts out: the table of each script has the same name.
--
-- table     the place of the release
-- schema    the table's schema
-- name      the table's name
-- new       the table with the new release
-- old       the new name of the previous release
-- origin    the origin of the source (a hash of its place)
-- ledger    the ledger (list of releases) in the same schema
-- shape     one store/column per column of the ledger
-- recounts  the number of recounts
-- rows      the checked release
-- entry     #entry
-- lock      the name of the lock of the place
begin not atomic
    declare exit handler for sqlexception
    begin
        do release_lock({lock});
        resignal;
    end;
    if not coalesce(get_lock({lock}, 0), false) then
        signal sqlstate '45000'
            set message_text = 'another run or script is writing the release; nothing is released; wait until it is '
            'done';
    end if;
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
            and column_names = (
                select json_arrayagg(column_name order by ordinal_position)
                from information_schema.columns
                where table_schema = {schema}
                    and table_name = {name}
            )
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
    do release_lock({lock});
end

-- section: now
-- The current time, in the form of the ledger.
date_format(utc_timestamp(6), '%Y-%m-%dT%H:%i:%s.%f+00:00')
