-- Count a script's release again before publication: an error ends the transaction, and nothing is published. The
-- script has a function of its own that fails, as PostgreSQL has none.
--
-- violated  #otherwise of all rows, #changed, and one condition per privacy model for a violating class
-- classes   #classes
--
-- One permanent row.
insert into pg_temp.starcloak_recounted
select
    case
        when {violated}
        then pg_temp.starcloak_refuse(
            'not the source that this script was made for: its rows have changed; nothing is released; '
            'compile it again'
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
-- The rows of a release, or an error if a recount is missing because it failed or was interrupted. Needed because a
-- client may roll back a failed statement and go on with the script.
--
-- release   the release
-- recounts  the number of recounts
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
            else pg_temp.starcloak_refuse('not recounted: nothing is released; run the script again') = 0
        end
    from pg_temp.starcloak_recounted
)
