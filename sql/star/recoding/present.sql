-- The rows of a dimension table needed by a release: the leaves that occur in the source.
--
-- columns  the needed columns, including the leaf's value in the source
-- table    the dimension table of the attribute: codes and texts at every level
--
-- One row per leaf that occurs in the source.
select
    {columns}
from {table}
where present
