-- The story: all rows released so far by this chain of refreshes. Each row has its class, the number of the first
-- refresh that released the row (turn) and, for a row no longer released, of the first refresh without the row (until).
--
-- values    value_1, value_2, …
-- levels    level_1, level_2, …
-- cells     the class's texts, as cell_1, cell_2, …, and if rows are held kept_1, …, person_1, … of
--           companions/refresh/held#texts
-- identity  the columns that identify a row: row, and whose if persons are counted
-- mapping   companions/refresh/refresh#mapping
-- members   one star/recoding/single_dimension#member per attribute, and if rows are held #text
-- ended     #ended, or nothing
--
-- One row per tuple, kept cells, person and part.
select
    {values},
    {levels},
    {cells},
    {identity},
    recoding.turn,
    cast(null as bigint) as until,
    recoding.lower,
    recoding.upper - recoding.lower as rows
from {mapping} as recoding
{members}
{ended}

-- section: known
-- The story stored by the last refresh, with the columns needed now.
--
-- columns  value_1, …, level_1, …, cell_1, …, whose if persons are counted, kept_1, …, person_1, … if rows are held
-- story    companions/refresh/story of the release before
select
    {columns},
    row,
    turn,
    until,
    lower,
    rows
from {story}

-- section: nothing
-- An empty story, for a first release.
--
-- columns  value_1, …, level_1, …, cell_1, …, whose if persons are counted, kept_1, …, person_1, … if rows are held
select
    {columns},
    cast(0 as bigint) as row,
    cast(0 as bigint) as turn,
    cast(null as bigint) as until,
    cast(0 as bigint) as lower,
    cast(0 as bigint) as rows
limit 0

-- section: no_value
-- A missing text, for the columns of an empty story.
cast(null as varchar)

-- section: text
-- Join for the stored texts of a row's kept cells.
--
-- texts  companions/refresh/held#texts
join {texts} as texts
    on texts.row = recoding.row

-- section: ended
-- Rows that leave in this refresh, or left in an earlier one.
--
-- $turn    the number of this refresh
-- columns  the columns stored for such rows
-- story    companions/refresh/story of the release before
-- fates    companions/refresh/fates
union all by name
select
    {columns},
    turn,
    until,
    lower,
    rows
from (
    select *
    from {story}
    where until is not null
    union all by name
    select * replace (
        $turn as until,
        left_now as rows
    )
    from {fates}
    where left_now > 0
)

-- section: counted
-- Three numbers of rows: rows that stay in the release, rows new in the release, and all rows of the last release.
--
-- $turn    the number of this refresh
-- mapping  companions/refresh/refresh#mapping
-- story    companions/refresh/story of the release before
--
-- One row.
select
    cast(coalesce(sum(upper - lower) filter (where turn < $turn), 0) as bigint) as stayed,
    cast(coalesce(sum(upper - lower) filter (where turn = $turn), 0) as bigint) as new,
    (
        select cast(coalesce(sum(rows), 0) as bigint)
        from {story}
        where until is null
    ) as before
from {mapping}

-- section: last
-- The number of the last refresh with a change of any row, or -1 without an earlier release.
--
-- story  companions/refresh/story of the release before
--
-- One row.
select coalesce(max(greatest(turn, coalesce(until, 0))), -1) as turn
from {story}
