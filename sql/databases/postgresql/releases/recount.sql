-- Count a script's release again before publication: an error ends the transaction, and nothing is published.
-- PostgreSQL has no function that fails, so a text is cast to a number; its length is known only at run time, so that
-- it is not tried before.
--
-- violated  #otherwise of all rows, and one condition per privacy model for a violating class
-- classes   #classes
--
-- One permanent row.
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

-- section: recounted
-- The table in which each finished recount of a script leaves the size of the smallest class.
create temporary table pg_temp.starcloak_recounted (
    recounted bigint not null
) on commit drop

-- section: guarded
-- The rows of a release, or an error if a recount is missing because it failed or was interrupted: a client may take
-- one statement back and go on.
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
