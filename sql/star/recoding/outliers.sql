-- The value groups of a node that violate a demand, to be suppressed.
--
-- frequency  the node's frequency set: value_1, value_2, …, frequency, and carried columns
-- values     value_1, value_2, …
-- violating  the condition for a violating value group
--
-- One row per violating value group.
select
    {values}
from {frequency}
where {violating}

-- section: staying
-- The value groups of a node that are not suppressed so far.
--
-- groups    the node's frequency set
-- outliers  star/recoding/outliers
-- values    value_1, value_2, …
--
-- One row per value group.
(
    select *
    from {groups}
    anti join {outliers} using ({values})
)

-- section: stayed
-- Number of rows with each sensitive value, of the rows not suppressed so far.
--
-- merged  one privacy/aggregates#added per value, or privacy/value_texts#merged
-- groups  #staying
--
-- One row.
select
    {merged}
from {groups}

-- section: rows
-- Number of rows of the value groups to be suppressed.
--
-- groups    the node's frequency set
-- outliers  star/recoding/outliers
-- values    value_1, value_2, …
--
-- One row.
select cast(coalesce(sum(frequency), 0) as bigint) as outliers
from {groups}
semi join {outliers} using ({values})
