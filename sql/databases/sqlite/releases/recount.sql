-- Count a script's release again before publication. If it fails, the transaction is rolled back and nothing is left to
-- publish, even for a client that goes on after an error.
--
-- violated  #otherwise of all rows, and one condition per privacy model for a violating class
-- classes   #classes
insert or rollback into temp.starcloak_recounted (holds)
select
    not ({violated})
from {classes}

-- section: recounted
-- The table that rejects a script's failed recount: SQLite has no other error that ends a transaction.
create temporary table starcloak_recounted (
    holds boolean not null default true,
    in_place boolean not null default true,
    emptied boolean,
    written boolean,
    constraint
        "not the source that this script was made for: its rows have changed; nothing is released; compile it again"
        check (holds),
    constraint
        "the table in that place is none of this source, or has other columns; nothing is released; rename it"
        check (in_place),
    constraint "the rows of the release could not be replaced; the release before stays; run the script again"
        check (emptied and written)
)

-- section: guarded
-- The rows of a release, or an error if a recount is missing, such as an interrupted one. Needed because a client may
-- go on with the script after that. The error is an integer overflow.
--
-- release   the release
-- recounts  the number of recounts
--
-- One row per row of the release.
select *
from (
    {release}
) as recounted
where case when (select count(*) from temp.starcloak_recounted) = {recounts} then 1 else abs(-9223372036854775808) end
