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

-- section: again
-- Condition that makes Spark run a recount: it is true for any result, and a failed recount raises an error.
--
-- recount  the recount
(
    {recount}
) >= ''
