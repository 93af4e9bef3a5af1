-- The blocks of a node that look nearest to each seeker: they lead to a class that is near, if not nearest.
--
-- width    how many
-- bounded  search/kaca/bounded
--
-- As many rows per seeker, or fewer.
select
    id,
    unnest(arg_min(block, bound, {width})) as block
from (
    {bounded}
)
group by id
