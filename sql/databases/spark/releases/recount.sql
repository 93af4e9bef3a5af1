-- Count a script's release again before it goes out: an error ends the script, and nothing is published.
--
-- violated  #otherwise of all rows, and one condition per privacy model for a violating class
-- classes   #classes
--
-- One row.
select
    case
        when {violated}
        then raise_error(
            'not the source that this script was made for: its rows have changed; nothing is released; '
            || 'compile it again'
        )
        else cast(coalesce(min(size), 0) as string)
    end as recounted
from {classes}

-- section: guarded
-- The rows of a release, or an error if a recount of the release fails. Needed because a client may go on with the
-- script after a failed recount.
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

-- section: again
-- Condition that makes Spark run a recount: it is true for any result, and a failed recount raises an error.
--
-- recount  the recount
(
    {recount}
) >= ''
