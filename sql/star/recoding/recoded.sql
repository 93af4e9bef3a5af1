-- A dimension table with each member's level and released text (cell) in a single-dimension recoding.
--
-- dimension  the attribute's position
-- cut        the cut: dimension, code, level
-- cell       #cell
-- table      the dimension table of the attribute: codes and texts at every level
-- key        the dimension table's column with the codes used in the cut
--
-- One row per member.
select
    {table}.*,
    cut.level,
    {cell} as cell
from {table}
join {cut} as cut
    on cut.dimension = {dimension}
    and cut.code = {table}.{key}

-- section: cell
-- The text of a cell at a level read from the row.
--
-- level   the level
-- values  one #at_level per level
case {level} {values} end

-- section: at_level
-- The text of a cell at one level: a branch of #cell.
--
-- at     the level
-- value  the dimension table's column with the level's texts, or the text of a range
when {at} then {value}

-- section: own
-- A cell of a column that keeps its type: the source's own value, or missing if it is suppressed.
--
-- text  the text of the cell, missing if it is suppressed
-- cell  the cell of the source
case when {text} is not null then {cell} end
