-- What a recoding changes. The cells of a suppressed row count as generalized to the root and as modified. A cell with
-- a range of its own has climbed as much of its one step as the share of the other leaves that the range covers.
--
-- cells           measures/cells of every attribute
-- generalization  the generalization relation
-- distance        measures/distance
--
-- One row: cells in all; distortion with uniform and with height weights (Definitions 6 and 7); modified cells
-- (section 4); levels climbed as shares of the heights, and leaves covered as shares of the others, summed over cells.
select
    cast(sum(frequency) as bigint) as cells,
    sum(frequency * case when suppressed then 1 else coalesce(share, uniform) end) as uniform_distortion,
    sum(frequency * case when suppressed then 1 else coalesce(share, height) end) as height_distortion,
    cast(sum(frequency) filter (where suppressed or modified) as bigint) as modified,
    sum(frequency * case when suppressed then 1 else coalesce(share, level / top) end) as climbed,
    sum(frequency * case when suppressed then 1 else coalesce(share, loss) end) as lost
from {cells} as cells
join {generalization} as generalization using (dimension, level, code)
join {distance} as distance using (dimension, level)
