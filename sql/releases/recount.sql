-- Count a script's release again before it goes out: an error ends the transaction, and nothing is published.
--
-- violated  #otherwise of all rows, and one condition per privacy model: a class violates it
-- classes   #classes
--
-- One row.
select
    case
        when {violated}
        then error('not the source that this script was made for: nothing is released; compile it again')
        else 'k = ' || cast(coalesce(min(size), 0) as varchar)
    end as recounted
from {classes}

-- section: classes
-- The classes of a script's release, with what is counted of them.
--
-- counts             count(*) as size, and more of a class
-- counted            the release, or what is counted of it
-- quasi_identifiers  the generalized columns
--
-- One row per class.
(
    select
        {counts}
    from {counted}
    group by {quasi_identifiers}
) as classes

-- section: class_size
-- The rows of a class.
count(*) as size

-- section: otherwise
-- That other rows were released than when the script was made, or of others.
--
-- released  the rows that were released then
-- source    the source
-- rows      the rows that it had then: one whose value has no leaf is lost without a trace
coalesce(sum(size), 0) <> {released} or (select count(*) from {source}) <> {rows}

-- section: alike
-- That values of a column are equal and read otherwise, 0.0 and -0.0: counted as one, and told apart by whoever reads
-- the release.
--
-- column   the column, as it is grouped
-- text     it as text
-- release  the release
exists (
    select 1
    from {release}
    group by {column}
    having min({text}) <> max({text})
)

-- dialect: mariadb
-- Count a script's release again before it goes out: where it is not what it should be, there is nothing left to
-- publish, even for a client that goes on after an error: the release goes by its name in a script.
--
-- violated  #otherwise of all rows, and one condition per privacy model: a class violates it
-- classes   #classes
begin not atomic
    if (
        select
            {violated}
        from {classes}
    ) then
        drop temporary table starcloak_release;
        signal sqlstate '45000'
            set message_text = 'not the source that this script was made for: nothing is released; compile it again';
    end if;
    insert into starcloak_recounted values (true);
end

-- dialect: postgresql
-- Count a script's release again before it goes out: an error ends the transaction, and nothing is published.
-- PostgreSQL has no function that fails, so that a text is taken for a number; its length is known too late to be
-- tried before.
--
-- violated  #otherwise of all rows, and one condition per privacy model: a class violates it
-- classes   #classes
--
-- One row, and one that stays.
insert into pg_temp.starcloak_recounted
select
    case
        when {violated}
        then cast(
            left(
                'not the source that this script was made for: nothing is released; compile it again',
                99 + cast(0 * count(*) as integer)
            ) as integer
        )
        else coalesce(min(size), 0)
    end
from {classes}
returning recounted

-- dialect: sqlite
-- Count a script's release again before it goes out: where it is not what it should be, the transaction is rolled back
-- and there is nothing left to publish, even for a client that goes on after an error.
--
-- violated  #otherwise of all rows, and one condition per privacy model: a class violates it
-- classes   #classes
insert or rollback into temp.starcloak_recounted (holds)
select
    not ({violated})
from {classes}

-- section: recounted, dialect: mariadb
-- Where each recount of a script leaves a row when it has been made.
create temporary table starcloak_recounted (
    holds boolean not null
)

-- section: recounted, dialect: postgresql
-- Where each recount of a script leaves the size of the smallest class when it has been made.
create temporary table pg_temp.starcloak_recounted (
    recounted bigint not null
) on commit drop

-- section: recounted, dialect: sqlite
-- What SQLite lets no failed recount of a script into: it has no other error that ends a transaction.
create temporary table starcloak_recounted (
    holds boolean not null default true,
    in_place boolean not null default true,
    constraint "not the source that this script was made for: nothing is released; compile it again" check (holds),
    constraint "no release of this source with these columns has the name of the release: nothing is released"
        check (in_place)
)

-- dialect: spark
-- Count a script's release again before it goes out: an error ends the script, and nothing is published.
--
-- violated  #otherwise of all rows, and one condition per privacy model: a class violates it
-- classes   #classes
--
-- One row.
select
    case
        when {violated}
        then raise_error('not the source that this script was made for: nothing is released; compile it again')
        else cast(coalesce(min(size), 0) as string)
    end as recounted
from {classes}

-- section: guarded, dialect: spark
-- The rows of a release, or an error where a recount of it fails: a client may go on after a recount of its own.
--
-- release   the release
-- recounts  one #again per recount
--
-- One row per row of the release.
select *
from (
    {release}
) as recounted
where {recounts}

-- section: guarded, dialect: postgresql
-- The rows of a release, or an error where a recount of it has not been made, as it failed or was interrupted: a client
-- may take one statement back and go on.
--
-- release   the release
-- recounts  how many recounts there are
--
-- One row per row of the release.
select *
from (
    {release}
) as recounted
where (
    select
        case
            when count(*) = {recounts}
            then true
            else cast(
                left('not recounted: nothing is released', 99 + cast(0 * count(*) as integer)) as boolean
            )
        end
    from pg_temp.starcloak_recounted
)

-- section: guarded, dialect: sqlite
-- The rows of a release, or an error where a recount of it has not been made, such as one that was interrupted: a
-- client may go on after that. The number without a sign that SQLite cannot hold is its error.
--
-- release   the release
-- recounts  how many recounts there are
--
-- One row per row of the release.
select *
from (
    {release}
) as recounted
where case when (select count(*) from temp.starcloak_recounted) = {recounts} then 1 else abs(-9223372036854775808) end

-- section: again, dialect: spark
-- That a recount yields a text, whatever it is.
--
-- recount  the recount
(
    {recount}
) >= ''
