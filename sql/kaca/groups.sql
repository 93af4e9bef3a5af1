-- How many value groups a node of the lattice has: the path of the rollup index is chosen by it.
--
-- place  the node's place on the path
-- keys   the node's level columns of the star
-- star   the star
--
-- One row.
select
    {place} as place,
    count(*) as groups
from (
    select distinct {keys}
    from {star}
)
