-- The value above a leaf.
--
-- path   the leaf's path
-- shift  how many bits of a path lie below the value
{path} >> {shift}
