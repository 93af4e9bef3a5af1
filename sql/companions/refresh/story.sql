-- Rows shown by these releases: the class of a row, the refresh since which it is shown, and the refresh until which
-- it was shown.
--
-- values    value_1, value_2, …
-- levels    level_1, level_2, …
-- cells     its texts, as cell_1, cell_2, …, and if rows are held kept_1, …, person_1, … of
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
-- The rows shown by the releases before, with the needed columns.
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
-- No release was before.
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
-- A missing value.
cast(null as varchar)

-- section: text
-- Texts of a row beside its tuple.
--
-- texts  companions/refresh/held#texts
join {texts} as texts
    on texts.row = recoding.row

-- section: ended
-- Rows that were shown until now, or until an earlier refresh.
--
-- $turn    the number of this refresh
-- columns  the columns that are kept of them
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
-- Numbers of rows: staying, new in the release, and shown before but gone or no longer shown.
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
-- The number of the last refresh with a change.
--
-- story  companions/refresh/story of the release before
--
-- One row.
select coalesce(max(greatest(turn, coalesce(until, 0))), -1) as turn
from {story}
