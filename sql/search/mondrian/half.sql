-- A part's half of a numeric attribute.
--
-- dimension  the attribute's position
when {dimension} then half
