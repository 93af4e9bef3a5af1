-- What a release needs of a dimension table, apart from its levels: the leaves that the source has.
--
-- columns  the columns, the leaf's own value among them
-- table    the dimension table
--
-- One row per leaf.
select
    {columns}
from {table}
where present

-- section: whole
-- A relation that a release needs, all of it.
--
-- columns   its columns
-- relation  the relation
--
-- One row per row of the relation.
select
    {columns}
from {relation}
