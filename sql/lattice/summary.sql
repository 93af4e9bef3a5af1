-- What one iteration did.
--
-- $iteration  the number of attributes
-- nodes       C of this iteration
-- survivors   S of this iteration
-- checked     the nodes checked so far, with their verdict
--
-- One row: the numbers of candidates, nodes checked, frequency sets from the star and by rollup, and k-anonymous nodes.
select
    (select count(*) from {nodes}) as candidates,
    count(*) as checked,
    count(*) filter (where root) as from_star,
    count(*) filter (where not root) as from_rollup,
    (select count(*) from {survivors}) as anonymous
from {checked}
where iteration = $iteration
