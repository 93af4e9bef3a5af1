-- A value's level.
--
-- node    the value's number
-- leaves  the leaves of its tree
({node} // {leaves})
