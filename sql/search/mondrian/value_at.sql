-- The level of a cell and its value there.
--
-- level   the cell's level
-- path    the path of its leaf
-- shifts  how many bits of a path lie below each level
{level}, {path} >> [{shifts}][{level} + 1]
