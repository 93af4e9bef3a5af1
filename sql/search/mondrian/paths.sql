-- The path of every leaf of a hierarchy: a whole number with a digit per level, the child to follow from the root down.
-- Two leaves have a common ancestor at a level if their paths differ only in digits below this level.
--
-- columns  code, and number if the attribute is numeric
-- digits  one search/kaca/paths#digit per level
-- type    a whole number of as many bits as the digits need
-- table   the dimension table of the attribute: codes and texts at every level
--
-- One row per leaf; values merged by the lowest level are one leaf.
select
    {columns},
    cast({digits} as {type}) as path
from {table}
where code = ancestor_0

-- section: tops
-- Number of values of an attribute at its highest level.
--
-- top    the column with the code of the value at this level
-- table  the dimension table of the attribute: codes and texts at every level
--
-- One row.
select count(distinct {top})
from {table}
