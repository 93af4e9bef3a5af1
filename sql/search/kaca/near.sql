-- The blocks of a node that may hold a seeker's nearest class.
--
-- bounded  search/kaca/bounded
--
-- One row per seeker and block.
select
    id,
    block
from (
    {bounded}
)
where bound <= reach
