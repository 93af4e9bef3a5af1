-- An enum type of the working store for the texts of an attribute in a release: a cell takes one or two bytes.
--
-- type    the name of the type
-- column  the column of the dimension table with the texts
-- table   the dimension table of the attribute: codes and texts at every level
create type {type} as enum (
    select distinct {column}
    from {table}
    where present
        and {column} is not null
    order by {column}
)

-- section: counted
-- Number of distinct texts of each attribute.
--
-- counts  one #texts per attribute
--
-- One row.
select {counts}

-- section: texts
-- Number of distinct texts of an attribute.
--
-- column  the column of the dimension table with the texts
-- table   the dimension table of the attribute: codes and texts at every level
(select count(distinct {column}) from {table} where present)

-- section: cell
-- A cell cast to its enum type. A text absent from the type becomes missing; it occurs only if the source has changed,
-- and then nothing is released.
--
-- cell  the cell
-- type  the enum type
try_cast({cell} as {type})

-- section: unpacked
-- A release with its packed cells (enums) converted back to texts.
--
-- cells  the released columns
-- rows   the release with packed cells
--
-- One row per row of the release.
select
    {cells}
from (
    {rows}
) as packed
