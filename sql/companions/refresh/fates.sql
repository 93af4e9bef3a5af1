-- The fate of rows shown by the release before: rows that leave with their identity, and missing rows that are held.
--
-- parts       #parts
-- departures  #departures
--
-- One row per tuple, kept cells, person and part. A person is one copy, and leaves with all rows.
select
    parts.* exclude (missing),
    departures.left_now * (parts.rows // departures.copies) as left_now,
    least(parts.missing, departures.held * (parts.rows // departures.copies)) as held
from {parts} as parts
join {departures} as departures using (identity)

-- section: parts
-- The rows shown by the release before, and the number of them missing from the source.
--
-- identity  #part, or the person of the row
-- story     companions/refresh/story of the release before
-- rows      companions/refresh/refresh#rows
-- match     one store/same per attribute, and one star/recoding/recode#match per column that identifies a row
--
-- One row per tuple, kept cells, person and part.
select
    story.*,
    {identity} as identity,
    story.rows - greatest(0, least(story.rows, coalesce(rows.rows, 0) - story.lower)) as missing
from {story} as story
left join {rows} as rows
    on {match}
where story.until is null

-- section: part
-- The number of a part. Its rows are alike: each of them is an identity.
row_number() over ()

-- section: identities
-- The shown rows as identities: a part has as many copies of one as it has rows.
--
-- parts  #parts
--
-- One row per part.
select
    *,
    rows as copies
from {parts}

-- section: fewest
-- The size of the smallest cohort.
--
-- cohort      the columns of a cohort
-- identities  #identities, or companions/refresh/persons#identities
--
-- One row.
select min(size) as fewest
from (
    select sum(copies) as size
    from {identities}
    group by {cohort}
)

-- section: departures
-- Identities that leave, and identities that are held. Identities with a missing row leave first; those that do not
-- leave are held.
--
-- $k          k
-- cohort      the columns of a cohort: identities with the same history
-- identities  #identities, or companions/refresh/persons#identities
-- columns     copies, and if persons are counted cohort and is_shown
-- order       the order of identities in a cohort
-- going       #hold, #tell, or companions/refresh/persons#tell
--
-- One row per identity, or copies of one.
select
    identity,
    {columns},
    cast(absent_left + least(copies - missing, greatest(0, going - absent - present_before)) as bigint) as left_now,
    cast(missing - absent_left as bigint) as held
from (
    select
        *,
        least(missing, greatest(0, going - absent_before)) as absent_left
    from (
        select
            *,
            {going} as going
        from (
            select
                *,
                sum(copies) over (partition by {cohort}) as size,
                sum(missing) over (partition by {cohort}) as absent,
                sum(missing) over in_order - missing as absent_before,
                sum(copies - missing) over in_order - (copies - missing) as present_before
            from {identities}
            window in_order as (
                partition by {cohort}
                order by {order}
                rows between unbounded preceding and current row
            )
        )
    )
)

-- section: hold
-- Number of identities of a cohort that leave if others are held: of the missing ones at least k, so that at least k or
-- none remain; or none.
--
-- $k  k
case
    when absent < $k then 0
    when absent = size or size - absent >= $k then absent
    when size - $k >= $k then size - $k
    else 0
end

-- section: tell
-- Number of rows of a class that leave if no row is held: the missing ones; all of them if fewer than k would remain.
--
-- $k  k
case
    when size - absent >= $k then absent
    else size
end
