-- What the next steps ask for, in their order.
--
-- offers  search/kaca/offers of the classes that they choose
-- chosen  #chosen
--
-- One row per step.
select offer.* replace (chosen.step as rank)
from (
    {offers}
) as offer
join {chosen} as chosen using (id)

-- section: chosen
-- The small classes that the next steps choose at random (Algorithm 1, line 3).
--
-- $seed      the seed
-- $step      the number of the next step
-- $steps     how many steps
-- violating  the condition that a class violates the requirement
-- classes    the classes
--
-- One row per step.
select
    range as step,
    arg_min(id, hash($seed, range, id)) as id
from {classes}
cross join range($step, $step + $steps)
where {violating}
group by step

-- section: first
-- The steps before one.
--
-- $step  the step
-- steps  search/kaca/steps
--
-- One row per step.
select *
from {steps}
where rank < $step
