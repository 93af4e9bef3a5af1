-- The distortion of the released rows (Definition 7), in the weights' units.
--
-- classes  the classes
--
-- One row.
select cast(coalesce(sum(frequency * cast(climbed as hugeint)), 0) as hugeint) as distortion
from {classes}
