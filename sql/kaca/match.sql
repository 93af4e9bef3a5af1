-- The two have one ancestor at this level. Where one of them is itself above the level, its ancestor is missing.
--
-- value    the ancestor's column
-- climbed  how far the level is from the leaves
when seeker.{value} = other.{value} then {climbed}
