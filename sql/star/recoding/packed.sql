-- An enum type of the working store for the texts of an attribute in a release: a cell takes one or two bytes.
--
-- type   the name of the type
-- texts  #texts
create type {type} as enum (
    {texts}
)

-- section: counted
-- Number of distinct texts of each attribute.
--
-- counts  one #count per attribute
--
-- One row.
select {counts}

-- section: count
-- Number of distinct texts of an attribute.
--
-- texts  #texts
(
    select count(*)
    from (
        {texts}
    ) as texts
)

-- section: texts
-- The texts of an attribute in released rows.
--
-- text      the text of a row's cell
-- columns   the attribute's columns of the recoding: code and level, and the text of a range
-- recoding  the recoding
-- member    star/recoding/single_dimension#member
--
-- One row per text, in ascending order.
select distinct {text} as released_text
from (
    select distinct {columns}
    from {recoding}
    where not suppressed
) as recoding
{member}
where {text} is not null
order by released_text

-- section: cell
-- A cell cast to its enum type. A text absent from the type becomes missing; it occurs only if the source has changed,
-- and then nothing is released.
--
-- cell  the cell
-- type  the enum type
try_cast({cell} as {type})

-- section: unpacked
-- A release with its packed cells (enums) converted back to texts. DuckDB 2.0 would write some enums of a large Parquet
-- file as empty texts.
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
