-- Shown rows now missing from the source: held rows, and rows that go. In each class, at least k rows go together and
-- at least k stay, or none goes or stays.
--
-- $k       k
-- before   #shown of the release before
-- source   #rows
-- match    one store/same per attribute
-- class    the key of classes: turn, cell_1, cell_2, …
-- order    value_1, value_2, …, row, lower
-- going    #going
--
-- One row per row of the release before, without entries of deleted rows: of its rows, held ones are held, and left
-- ones go.
select
    * exclude (missing, size, absent, earlier, going),
    cast(least(missing, greatest(0, going - earlier)) as bigint) as left_now,
    cast(missing - least(missing, greatest(0, going - earlier)) as bigint) as held
from (
    select
        *,
        {going} as going
    from (
        select
            *,
            sum(rows) over (partition by {class}) as size,
            sum(missing) over (partition by {class}) as absent,
            sum(missing) over (
                partition by {class}
                order by {order}
                rows between unbounded preceding and current row
            ) - missing as earlier
        from (
            select
                before.*,
                before.rows - greatest(0, least(before.rows, coalesce(source.rows, 0) - before.lower)) as missing
            from {before} as before
            left join {source} as source
                on {match}
                and source.row = before.row
            where not before.gone
        )
    )
)

-- section: going
-- Number of rows of a class, or persons of a cohort, that go if some are held: of the missing ones at least k, so that
-- at least k or none remain; or none.
--
-- $k  k
case
    when absent < $k then 0
    when absent = size or size - absent >= $k then absent
    when size - $k >= $k then size - $k
    else 0
end

-- section: rows
-- The rows of the source by their quasi-identifiers as texts and their kept cells.
--
-- values   the quasi-identifiers, as value_1, value_2, …
-- columns  companions/refresh/refresh#hash of the kept cells, as row, and one #kept per kept column:
--          kept_1, kept_2, …
-- source   the source
--
-- One row per tuple and kept cells.
select
    {values},
    {columns},
    count(*) as rows
from {source} as source
group by all

-- section: cells
-- The kept cells of the rows of the source as texts.
--
-- columns  companions/refresh/refresh#hash of the kept cells, as row, and one #kept per kept column:
--          kept_1, kept_2, …
-- source   the source
--
-- One row per kept cells.
select
    {columns}
from {source} as source
group by row

-- section: kept
-- A kept cell as text: the same for all rows alike in all kept cells.
--
-- text  the cell as text
any_value({text})

-- section: still
-- The shown cells of earlier rows that do not go, numbered anew.
--
-- values      value_1, value_2, …
-- levels      level_1, level_2, …
-- departures  the fate of the earlier rows
--
-- One row per tuple, kept cells and part.
select
    {values},
    {levels},
    row,
    turn,
    cast(
        sum(rows - left_now) over (
            partition by {values}, row
            order by turn, lower
            rows between unbounded preceding and current row
        ) - (rows - left_now) as bigint
    ) as lower,
    rows - left_now as rows
from {departures}
where rows > left_now

-- section: held
-- The held rows, with the cells of the source.
--
-- columns     the columns of the source, each an #as_it_was
-- departures  the fate of the earlier rows
--
-- One row per held row.
select
    {columns}
from {departures} as departures, range(departures.held)

-- section: as_it_was
-- A cell of the source from its text.
--
-- text  its text
-- type  its type
cast({text} as {type})

-- section: source
-- The source with the held rows.
--
-- columns  its columns
-- source   the source
-- held     #held
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

-- section: barred
-- Rows with a kept cell of fewer than k rows, one of them held or gone: another row with this cell would be recognized
-- as that one, changed or returned.
--
-- $k          k
-- cell        a kept cell, or row: all of them
-- before      #shown of the release before
-- departures  the fate of its rows
-- source      #rows
--
-- One row per row of #rows.
select source.row
from (
    select
        row,
        {cell} as cell
    from {source}
) as source
join (
    select {cell} as cell
    from {departures}
    where held > 0 or left_now > 0
    union
    select {cell} as cell
    from {before}
    where gone
) as known
    on known.cell is not distinct from source.cell
left join (
    select
        {cell} as cell,
        sum(rows) as rows
    from {before}
    group by all
) as shown
    on shown.cell is not distinct from source.cell
join (
    select
        {cell} as cell,
        sum(rows) as rows
    from {source}
    group by all
) as there
    on there.cell is not distinct from source.cell
where greatest(coalesce(shown.rows, 0), there.rows) < $k

-- section: pool
-- The pool without rows that would be recognized as held or deleted ones.
--
-- pool    companions/refresh/refresh#pool
-- barred  #barred of all kept cells, and of each
--
-- One row per tuple and kept cells.
select *
from {pool}
where row not in (
    select row
    from {barred}
)

-- section: shown
-- The shown rows with their texts and kept cells, and the kept cells of deleted rows.
--
-- shown    companions/refresh/refresh#shown
-- columns  the texts of tuples, as cell_1, cell_2, …, and kept_1, kept_2, …
-- members  one companions/refresh/refresh#member per attribute
-- kept     #cells
-- gone     #gone, or #nobody
--
-- One row per tuple, kept cells and part, and one per kept cells of deleted rows.
select
    recoding.*,
    {columns},
    false as gone
from {shown} as recoding
{members}
join {kept} as kept
    on kept.row = recoding.row
union all by name
select *
from {gone}

-- section: gone
-- Kept cells of deleted rows, now or before.
--
-- columns     row, kept_1, kept_2, …
-- before      #shown of the release before
-- departures  the fate of its rows
--
-- One row per kept cells.
select distinct
    {columns},
    cast(0 as bigint) as turn,
    cast(0 as bigint) as lower,
    cast(0 as bigint) as rows,
    true as gone
from (
    select {columns}
    from {departures}
    where left_now > 0
    union all
    select {columns}
    from {before}
    where gone
)

-- section: lines
-- The rows shown by a release.
--
-- columns  value_1, …, level_1, …
-- shown    #shown
--
-- One row per tuple, kept cells and part.
select
    {columns},
    row,
    turn,
    lower,
    rows
from {shown}
where not gone

-- section: nobody
-- Nothing went.
select cast(0 as bigint) as row
limit 0
