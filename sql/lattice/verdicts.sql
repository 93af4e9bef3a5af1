-- Which nodes of a batch are k-anonymous.
--
-- $k         the smallest allowed value group
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
