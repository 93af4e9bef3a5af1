-- The texts that an attribute has in a release, as a type of the working store: one or two bytes for each cell.
--
-- type    the type
-- column  the column of the dimension table that has them
-- table   the dimension table
create type {type} as enum (
    select distinct {column}
    from {table}
    where present
        and {column} is not null
    order by {column}
)

-- section: counted
-- How many texts each of some attributes has.
--
-- counts  one #texts per attribute
--
-- One row.
select {counts}

-- section: texts
-- How many texts an attribute has.
--
-- column  the column of the dimension table that has them
-- table   the dimension table
(select count(distinct {column}) from {table} where present)

-- section: cell
-- A cell as such a type. One that is none of its texts, as in a source that changed, is missing: no release has it.
--
-- cell  the cell
-- type  the type
try_cast({cell} as {type})

-- section: unpacked
-- A release whose rows were packed while they were sorted, with texts again.
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
