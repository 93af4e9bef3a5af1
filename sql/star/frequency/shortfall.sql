-- Distance of each node from the requirement.
--
-- violating  the condition for a violating value group
-- rows       frequency, or privacy/population#counted
-- frequency  frequency sets: node, …, frequency, and carried columns
--
-- One row per node: its value groups, the satisfying ones, and the rows in the others (the outliers).
select
    node,
    count(*) as groups,
    count(*) filter (where not {violating}) as classes,
    cast(coalesce(sum({rows}) filter (where {violating}), 0) as bigint) as outliers
from {frequency}
group by node
