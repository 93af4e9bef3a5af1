-- A relation that a release needs, in an order of its own.
--
-- columns   its columns
-- relation  the relation
--
-- One row per row of the relation.
select
    {columns}
from {relation}
order by {columns}
