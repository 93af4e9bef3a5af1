-- The frequency sets of the nodes that were found to violate the requirement: those above are rolled up from these.
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
) as violating
    on violating.node = frequency.node
