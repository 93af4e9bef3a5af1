-- The first k-anonymous node of a batch.
--
-- $k         the smallest allowed value group
-- $allowed   how many outliers may be suppressed
-- shortfall  frequency/shortfall of the batch
--
-- One row; the number is missing where no node is.
select min(node) as number
from (
{shortfall}
)
where outliers <= $allowed
