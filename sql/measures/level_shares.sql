-- The share of each attribute's released cells that are at each level.
--
-- cells  measures/cells of every attribute
--
-- One row per attribute that has any, in order: its levels, each with a share (0 … 1), as a map.
select
    dimension,
    map_from_entries(list((level, share) order by level)) as shares
from (
    select
        dimension,
        level,
        sum(frequency) / sum(sum(frequency)) over (partition by dimension) as share
    from {cells}
    where not suppressed
    group by
        dimension,
        level
)
group by dimension
order by dimension
