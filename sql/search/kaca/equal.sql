-- How many of all pairs of tuples have the same values at a node: the path of the rollup index is chosen by it.
--
-- place  the node's place
-- keys   the node's level columns of the star
-- star   the star
--
-- One row: a share.
select
    {place} as place,
    sum((tuples / total) ** 2) as equal
from (
    select
        count(*) as tuples,
        sum(count(*)) over () as total
    from {star}
    group by {keys}
)
