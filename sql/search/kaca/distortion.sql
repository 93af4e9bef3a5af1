-- The distortion of the released rows (Definition 7): the sum of their distances from the leaves, in whole units of the
-- weights.
--
-- classes  the equivalence classes so far
--
-- One row.
select cast(coalesce(sum(frequency * cast(climbed as hugeint)), 0) as hugeint) as distortion
from {classes}
