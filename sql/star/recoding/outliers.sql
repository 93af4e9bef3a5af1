-- The value groups of a node that are suppressed.
--
-- frequency  the node's frequency set: value_1, value_2, …, frequency, and what is carried beside it
-- values     value_1, value_2, …
-- violating  the condition that a value group violates the requirement
--
-- One row per value group that does.
select
    {values}
from {frequency}
where {violating}

-- section: staying
-- The value groups of a node that are not left out so far.
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
-- How many of the rows that are not left out so far have each sensitive value.
--
-- merged  one privacy/aggregates#added per value
-- groups  #staying
--
-- One row.
select
    {merged}
from {groups}
