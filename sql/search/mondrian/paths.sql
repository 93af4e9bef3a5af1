-- The path of every leaf of a value tree: one whole number with the child to follow, from the root down. Two leaves
-- have a common ancestor at a level if their paths differ only in the digits below.
--
-- columns  code, and number if the attribute is numeric
-- digits  one search/kaca/paths#digit per level
-- type    a whole number of as many bits as the digits need
-- table   the dimension table
--
-- One row per leaf; values merged by the lowest level are one leaf.
select
    {columns},
    cast({digits} as {type}) as path
from {table}
where code = ancestor_0

-- section: tops
-- Number of values of an attribute at its top.
--
-- top    the column of their codes
-- table  the dimension table
--
-- One row.
select count(distinct {top})
from {table}
