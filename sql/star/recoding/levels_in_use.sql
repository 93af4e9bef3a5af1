-- The levels of one attribute's released cells.
--
-- dimension  the attribute's position
-- level      the recoding's column with the level of the attribute's cell
-- recoding   the recoding
--
-- One row per level.
select distinct
    {dimension} as dimension,
    {level} as level
from {recoding}
where not suppressed
