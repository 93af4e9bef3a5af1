-- Some nodes of one height, by number.
--
-- $height  the height
-- $after   the number after which they begin
-- $page    how many at most
-- nodes    every node
--
-- One row per node, in order.
select id
from (
    {nodes}
)
where height = $height
    and id > $after
order by id
limit $page
