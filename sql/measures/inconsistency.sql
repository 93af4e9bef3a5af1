-- Inconsistency per attribute (Li, Wong, Fu, Pei 2008, Definition 12): the share of released cells that are not at the
-- attribute's most frequent level.
--
-- cells  measures/cells of every attribute
--
-- One row per attribute, in order (0 … 1).
select
    dimension,
    1 - max(frequency) / sum(frequency) as inconsistency
from (
    select
        dimension,
        level,
        sum(frequency) as frequency
    from {cells}
    where not suppressed
    group by
        dimension,
        level
)
group by dimension
order by dimension
