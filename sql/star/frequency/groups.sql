-- How many value groups each node has.
--
-- frequency  frequency sets: node, …, frequency
--
-- One row per node.
select
    node,
    count(*) as groups
from {frequency}
group by node
