-- The classes of fewer than k rows that the next steps choose at random (Algorithm 1, line 3).
--
-- $k       the smallest allowed class
-- $seed    the seed
-- $step    the number of the next step
-- $steps   how many steps
-- classes  the classes
--
-- One row per step.
select
    range as step,
    arg_min(id, hash($seed, range, id)) as id
from {classes}
cross join range($step, $step + $steps)
where frequency < $k
group by step
