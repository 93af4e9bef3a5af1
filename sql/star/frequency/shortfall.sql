-- Numbers of value groups, of satisfying groups, and of rows in violating groups (outliers), for each node.
--
-- violating  the condition for a violating value group
-- rows       frequency, or privacy/population#counted
-- frequency  frequency sets: node, …, frequency, and carried columns
--
-- One row per node: groups is the number of value groups, classes the number of satisfying groups, outliers the number
-- of rows in violating groups.
select
    node,
    count(*) as groups,
    count(*) filter (where not {violating}) as classes,
    cast(coalesce(sum({rows}) filter (where {violating}), 0) as bigint) as outliers
from {frequency}
group by node
