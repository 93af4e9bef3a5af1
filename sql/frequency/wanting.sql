-- The frequency sets of the nodes that were found not k-anonymous: those above them are rolled up from these.
--
-- frequency  frequency sets just counted
-- checked    the nodes checked so far, with their verdict
--
-- One row per node and value group.
select frequency.*
from {frequency} as frequency
semi join (
    select node
    from {checked}
    where not anonymous
) as wanting
    on wanting.node = frequency.node
