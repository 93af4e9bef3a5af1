-- A relation that a release needs, all of it.
--
-- columns   its columns
-- relation  the relation
--
-- One row per row of the relation.
select
    {columns}
from {relation}
