-- The frequency sets of some nodes, from the kept ones.
--
-- frequency  frequency sets
-- first      the first node's number
-- last       the last node's number
--
-- One row per node and value group.
select *
from {frequency}
where node between {first} and {last}
