-- The held rows, with the cells of the source.
--
-- columns  the columns of the source, each an #as_it_was
-- fates    companions/refresh/fates
--
-- One row per held row.
select
    {columns}
from {fates} as fates, range(fates.held)

-- section: as_it_was
-- A cell of the source from its text.
--
-- text  the cell's text
-- type  the cell's type in the source
cast({text} as {type})

-- section: with_held
-- The source with the held rows.
--
-- columns  its columns
-- source   the source
-- held     companions/refresh/held
--
-- One row per row of either.
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
--          person_1, … if persons are counted
-- source   the source
--
-- One row per kept cells.
select
    {columns},
    count(*) as rows
from {source} as source
group by row

-- section: kept
-- A kept cell as text: the same for all rows alike in all kept cells.
--
-- text  the cell as text
any_value({text})

-- section: barred
-- Rows with a kept cell of fewer than k rows, one of them held or gone: another row with this cell would be recognized
-- as that one, changed or returned.
--
-- $k     k
-- cell   a kept cell, or row: all of them
-- texts  #texts of the source without held rows
-- fates  companions/refresh/fates
-- story  companions/refresh/story of the release before
--
-- One row per kept cells.
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
