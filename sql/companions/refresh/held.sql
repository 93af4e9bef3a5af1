-- The held rows (missing from the source, but still released), in the columns and types of the source.
--
-- columns  the columns of the source, each an #as_it_was
-- fates    companions/refresh/fates
--
-- One row per held row.
select
    {columns}
from {fates} as fates, range(fates.held)

-- section: as_it_was
-- The cell of a held row in its original type, restored from the stored text.
--
-- text  the cell's text
-- type  the cell's type in the source
cast({text} as {type})

-- section: with_held
-- The rows of the source, together with the held rows.
--
-- columns  the source's columns
-- source   the source
-- held     companions/refresh/held
--
-- One row per row of the source, and per held row.
(
    select
        {columns}
    from {source} as source
    union all
    select
        {columns}
    from {held} as source
)

-- section: texts
-- The kept cells of the rows of the source as texts, so that the rows can be held.
--
-- columns  companions/refresh/refresh#hash of the kept cells, as row, and one #kept per column: kept_1, kept_2, …, and
--          person_1, … if persons are counted; the hash comes first, to be grouped by even if a source column is row
-- source   the source
--
-- One row per combination of kept cells, with the number of source rows (rows).
select
    {columns},
    count(*) as rows
from {source} as source
group by 1

-- section: kept
-- The text of a kept cell in a group of rows with the same kept cells.
--
-- text  the cell as text
any_value({text})

-- section: barred
-- Source rows barred from joining the release. Such a row has a kept cell found in fewer than k rows, and a row with
-- the same cell is held or left the release: a reader would take the new row for the earlier one, changed or returned.
--
-- $k     k
-- cell   the column of a kept cell, or row (the hash of all kept cells)
-- texts  #texts of the source without held rows
-- fates  companions/refresh/fates
-- story  companions/refresh/story of the release before
--
-- One row per combination of kept cells to be barred: its hash.
select there.row
from (
    select
        row,
        {cell} as cell,
        sum(rows) over (partition by {cell}) as rows
    from {texts}
) as there
join (
    select {cell} as cell
    from {fates}
    where held > 0 or left_now > 0
    union
    select {cell} as cell
    from {story}
    where until is not null
) as known
    on known.cell is not distinct from there.cell
left join (
    select
        {cell} as cell,
        sum(rows) as rows
    from {story}
    where until is null
    group by all
) as shown
    on shown.cell is not distinct from there.cell
where greatest(coalesce(shown.rows, 0), there.rows) < $k
