-- The texts of an attribute in a release, as a type of the working store: one or two bytes for each cell.
--
-- type    the type
-- column  the column of the dimension table with the texts
-- table   the dimension table
create type {type} as enum (
    select distinct {column}
    from {table}
    where present
        and {column} is not null
    order by {column}
)

-- section: counted
-- Number of texts of each of some attributes.
--
-- counts  one #texts per attribute
--
-- One row.
select {counts}

-- section: texts
-- Number of texts of an attribute.
--
-- column  the column of the dimension table with the texts
-- table   the dimension table
(select count(distinct {column}) from {table} where present)

-- section: cell
-- A cell in such a type. A cell with another text, as in a changed source, is missing: no release has it.
--
-- cell  the cell
-- type  the type
try_cast({cell} as {type})

-- section: unpacked
-- A release with rows packed for sorting, with texts again.
--
-- cells  its cells
-- rows   the release
--
-- One row per row of the release.
select
    {cells}
from (
    {rows}
) as packed
