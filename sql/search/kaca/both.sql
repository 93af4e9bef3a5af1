-- The sensitive values that a class formed of two has.
--
-- held  which of them each has, a bit each
(seeker.{held} | other.{held})
