-- Which nodes of a batch satisfy the requirement.
--
-- $allowed   how many outliers may be suppressed
-- shortfall  frequency/shortfall of the batch
--
-- One row per node.
select
    node,
    outliers <= $allowed as anonymous
from (
    {shortfall}
)
