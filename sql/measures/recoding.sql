-- Changes by a recoding, cell by cell: the number of cells, and the sums for measures.
--
-- sums            one expression per sum, by its name
-- cells           one measures/cells per attribute
-- generalization  the generalization relation
-- distance        measures/distance
--
-- One row of all cells, one per attribute, and one per attribute and level: how many cells there are, and how many of
-- them are released. In order.
select
    dimension,
    level,
    cast(sum(frequency) as bigint) as cells,
    cast(coalesce(sum(frequency) filter (where not suppressed), 0) as bigint) as released,
    {sums}
from (
    {cells}
) as cells
join {generalization} as generalization using (dimension, level, code)
join (
    {distance}
) as distance using (dimension, level)
group by grouping sets ((), (dimension), (dimension, level))
order by
    dimension,
    level

-- section: modified
-- Cells with a changed text; those of a suppressed row count.
cast(sum(frequency) filter (where suppressed or modified) as bigint)

-- section: moved
-- Distance moved by cells, summed. The cells of a suppressed row count as generalized to the root. A cell with a range
-- of its own has moved as much of its one step as the range's share of the other leaves.
--
-- moved  how far its level is from the leaf (0 … 1)
sum(frequency * case when suppressed then 1 else coalesce(share, {moved}) end)

-- section: suppressed
-- Number of rows suppressed by a recoding.
--
-- recoding  the recoding
--
-- One row.
select cast(coalesce(sum(frequency) filter (where suppressed), 0) as bigint) as rows
from {recoding}
