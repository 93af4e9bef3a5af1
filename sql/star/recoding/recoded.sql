-- A dimension table with each member's value in a single-dimension recoding.
--
-- dimension  the attribute's position
-- cut        the cut: dimension, code, level
-- cell       #cell
-- table      the dimension table
-- key        its column with the codes of the cut
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
-- A cell at a level that depends on the row.
--
-- level   the level
-- values  one #at_level per level
case {level} {values} end

-- section: at_level
-- A cell at one level.
--
-- at     the level
-- value  the dimension table's column, or the text of a range
when {at} then {value}

-- section: own
-- A cell of a column that keeps its type: the source's own value, or missing if it is suppressed.
--
-- text  the text of the cell, missing if it is suppressed
-- cell  the cell of the source
case when {text} is not null then {cell} end
