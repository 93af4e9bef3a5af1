-- What every objective needs to know of a node.
--
-- violating  the condition that a value group violates the requirement
-- frequency  frequency sets: node, …, frequency, and what is carried beside it
--
-- One row per node. squares is the sum of squared counts of all value groups, released_squares of those that satisfy
-- it.
select
    node,
    count(*) as groups,
    count(*) filter (where not {violating}) as classes,
    cast(coalesce(sum(frequency) filter (where {violating}), 0) as bigint) as outliers,
    sum(cast(frequency as hugeint) * frequency) as squares,
    coalesce(sum(cast(frequency as hugeint) * frequency) filter (where not {violating}), 0) as released_squares
from {frequency}
group by node
