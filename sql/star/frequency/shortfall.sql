-- How far each node is from the requirement.
--
-- violating  the condition that a value group violates it
-- rows       frequency, or privacy/population#counted
-- frequency  frequency sets: node, …, frequency, and what is carried beside it
--
-- One row per node: its value groups, those that satisfy it, and the rows in the others (the outliers).
select
    node,
    count(*) as groups,
    count(*) filter (where not {violating}) as classes,
    cast(coalesce(sum({rows}) filter (where {violating}), 0) as bigint) as outliers
from {frequency}
group by node
