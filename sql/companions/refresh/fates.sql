-- The decision on rows of the last release: how many leave the release now, and how many are held (missing from the
-- source, but still released).
--
-- parts       #parts
-- departures  #departures
--
-- One row per tuple, kept cells, person and part (rows with one class since one refresh). A person leaves with all
-- rows.
select
    parts.* exclude (missing),
    departures.left_now * (parts.rows // departures.copies) as left_now,
    least(parts.missing, departures.held * (parts.rows // departures.copies)) as held
from {parts} as parts
join {departures} as departures using (identity)

-- section: parts
-- The rows of the last release, each part (rows alike, with one class since one refresh) with its identity and with the
-- number of its rows missing from the source.
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
-- The identity of a part (a group of equal rows) if k counts rows: a running number, in place of a person.
row_number() over ()

-- section: identities
-- Identities of the last release, if k counts rows: a part has as many copies of an identity as rows.
--
-- parts  #parts
--
-- One row per part.
select
    *,
    rows as copies
from {parts}

-- section: fewest
-- Number of identities in the smallest cohort (identities with the same history over all releases).
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
-- Numbers of identities that leave the release now, and of identities that are held. In each cohort, identities with a
-- row missing from the source leave first; missing identities that do not leave are held.
--
-- $k          k
-- cohort      the columns of a cohort: identities with the same history
-- identities  #identities, or companions/refresh/persons#identities
-- columns     copies, and if persons are counted cohort and is_shown
-- order       the order of identities in a cohort
-- going       #hold, #tell, or companions/refresh/persons#tell
--
-- One row per identity, or per part with several copies of an identity.
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
-- Number of identities of a cohort that leave, if deleted rows can be held. Either no identity leaves, or at least k of
-- the missing identities leave, with at least k or no identities remaining.
--
-- $k  k
case
    when absent < $k then 0
    when absent = size or size - absent >= $k then absent
    when size - $k >= $k then size - $k
    else 0
end

-- section: tell
-- Number of rows of a class that leave, if no row is held: the rows missing from the source, or all rows of the class
-- if fewer than k would remain.
--
-- $k  k
case
    when size - absent >= $k then absent
    else size
end
