-- What a recoding changes, cell by cell: how many cells there are, and the sums that measures ask for.
--
-- sums            one expression per sum, by its name
-- cells           measures/cells of every attribute
-- generalization  the generalization relation
-- distance        measures/distance
--
-- One row.
select
    cast(sum(frequency) as bigint) as cells,
    {sums}
from {cells} as cells
join {generalization} as generalization using (dimension, level, code)
join {distance} as distance using (dimension, level)
