-- A class of fewer than k rows, chosen at random (Algorithm 1, line 3).
--
-- $k       the smallest allowed class
-- $seed    the seed
-- $round   the number of the step
-- classes  the classes
--
-- One row.
(
    select *
    from {classes}
    where frequency < $k
    order by hash($seed, $round, id), id
    limit 1
)
