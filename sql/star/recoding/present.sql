-- Part of a dimension table needed by a release, besides its levels: the leaves of the source.
--
-- columns  the columns, the leaf's own value among them
-- table    the dimension table
--
-- One row per leaf.
select
    {columns}
from {table}
where present
