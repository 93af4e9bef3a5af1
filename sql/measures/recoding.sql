-- Numbers of cells in a recoding, and sums over these cells for measures.
--
-- sums            one expression per sum, by its name
-- cells           one measures/cells per attribute
-- generalization  the generalization relation: the ancestors of all members
-- distance        measures/distance
--
-- One row for all cells, one per attribute, and one per attribute and level: the number of cells (cells), the number of
-- released cells (released), and the sums. In order.
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
-- Number of cells with a changed text; all cells of a suppressed row count as changed.
cast(sum(frequency) filter (where suppressed or modified) as bigint)

-- section: moved
-- Sum over all cells of the distance between the leaf and the released level. A cell of a suppressed row has the
-- distance of the root, 1. A cell generalized to a range has the share of the other leaves covered by the range.
--
-- moved  the column with the distance of a level from the leaf (0 … 1)
sum(frequency * case when suppressed then 1 else coalesce(share, {moved}) end)

-- section: suppressed
-- Number of rows suppressed by a recoding.
--
-- recoding  the recoding
--
-- One row.
select cast(coalesce(sum(frequency) filter (where suppressed), 0) as bigint) as rows
from {recoding}
