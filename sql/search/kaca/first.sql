-- The steps before one.
--
-- $step  the step
-- steps  search/kaca/steps
--
-- One row per step.
select *
from {steps}
where rank < $step
