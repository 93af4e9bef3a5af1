-- Number of value groups of each node.
--
-- frequency  frequency sets: node, …, frequency
--
-- One row per node.
select
    node,
    count(*) as groups
from {frequency}
group by node
