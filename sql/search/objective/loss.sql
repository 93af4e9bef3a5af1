-- Counts for the loss of every cell: the number of rows with each leaf. A leaf without rows is missing.
--
-- marginals  one star/marginal per attribute, one after the other
--
-- One row per attribute and leaf.
select
    dimension,
    code,
    cast(frequency as bigint) as frequency
from (
    {marginals}
)
