-- The release of a refreshed source: shown rows stay unchanged, new rows have classes of their own. Rows alike in all
-- released cells are numbered: they are interchangeable.
--
-- columns            the released columns, in the source's order
-- cells              the names of the released columns
-- quasi_identifiers  those of the quasi-identifiers
-- row                a name unused in the source
-- copy               another one
-- hash               #hash of the kept cells
-- source             the source
-- maps               one star/recoding/recode#map per quasi-identifier
-- mapping            #mapping
-- match              one star/recoding/recode#match per quasi-identifier
-- shuffled           star/recoding/recode#shuffled
--
-- One row per row of the source that does not wait.
select {cells}
from (
    select
        {columns}
    from (
        select
            source.*,
            row_number() over (partition by {quasi_identifiers}, source.{row}) as {copy}
        from (
            select
                source.*,
                {hash} as {row}
            from {source} as source
        ) as source
    ) as source
    {maps}
    join {mapping} as mapping
        on {match}
        and mapping.row = source.{row}
        and source.{copy} > mapping.lower
        and source.{copy} <= mapping.upper
) as released
order by {shuffled}

-- section: hash
-- Hash of the kept cells of a row, the same for every version of the database: a whole number.
--
-- cells  one #cell per kept column
cast(md5_number_lower({cells}) >> 1 as bigint)

-- section: cell
-- A kept cell; a missing one differs from all others.
--
-- cell  the cell, exact
md5(coalesce('=' || cast({cell} as varchar), ''))

-- section: known
-- The rows shown by the releases before, with the needed columns.
--
-- columns  value_1, …, level_1, …, cell_1, …, whose if persons are counted, kept_1, …, person_1, … if rows are held
-- story    #story of the release before
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

-- section: rows
-- The rows of the source by their tuples, their kept cells and, if persons are counted, their persons.
--
-- values    the quasi-identifiers, as value_1, value_2, …
-- identity  #hash of the kept cells, as row, and if persons are counted companions/refresh/persons, as whose
-- source    the source
--
-- One row per tuple, kept cells and person.
select
    {values},
    {identity},
    count(*) as rows
from {source} as source
group by all

-- section: parts
-- The rows shown by the release before, and the number of them missing from the source.
--
-- identity  #part, or the person of the row
-- story     #story of the release before
-- rows      #rows
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

-- section: fates
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

-- section: held
-- The held rows, with the cells of the source.
--
-- columns  the columns of the source, each an #as_it_was
-- fates    #fates
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

-- section: texts
-- The kept cells of the rows of the source as texts, so that the rows can be held.
--
-- columns  #hash of the kept cells, as row, and one #kept per column: kept_1, kept_2, …, and person_1, … if persons are
--          counted
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
-- fates  #fates
-- story  #story of the release before
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

-- section: member
-- The member of a shown value.
--
-- table  the dimension table
-- value  the value's column
join {table}
    on {table}.present
    and cast({table}.value as varchar) is not distinct from {value}

-- section: stay
-- Rows that stay as shown, numbered anew.
--
-- codes     code_1, code_2, …
-- levels    level_1, level_2, … as shown
-- identity  the columns that identify a row: row, and whose if persons are counted
-- leaves    the codes of the members, as code_1, code_2, …
-- fates     #fates
-- members   one #member per attribute
--
-- One row per tuple, kept cells, person and part.
select
    {codes},
    {levels},
    {identity},
    turn,
    rows - left_now as rows,
    cast(
        sum(rows - left_now) over (
            partition by {codes}, row
            order by turn, lower
            rows between unbounded preceding and current row
        ) - (rows - left_now) as bigint
    ) as lower
from (
    select
        {leaves},
        fates.*
    from {fates} as fates
    {members}
)
where rows > left_now

-- section: pool
-- Rows that are not shown: new ones, ones that waited, and ones whose class is dissolved.
--
-- codes     code_1, code_2, …, of the rows
-- kept      code_1, code_2, …
-- identity  the columns that identify a row: row, and whose if persons are counted
-- leaves    the codes of the members, as code_1, code_2, …
-- rows      #rows
-- maps      one star/recoding/recode#map per attribute
-- stay      #stay
-- match     one star/recoding/recode#match per attribute
--
-- One row per tuple, kept cells and person.
select
    {codes},
    {identity},
    rows.rows - coalesce(stay.rows, 0) as rows,
    coalesce(stay.rows, 0) as lower
from (
    select
        {leaves},
        source.*
    from {rows} as source
    {maps}
) as rows
left join (
    select
        {kept},
        row,
        cast(sum(rows) as bigint) as rows
    from {stay}
    group by all
) as stay
    on {match}
    and stay.row = rows.row
where rows.rows > coalesce(stay.rows, 0)

-- section: without_barred
-- The pool without rows that would be recognized as held or deleted ones.
--
-- pool    #pool
-- barred  #barred of all kept cells, and of each
--
-- One row per tuple and kept cells.
select *
from {pool}
where row not in (
    {barred}
)

-- section: facts
-- The tuples of the pool, for the search.
--
-- star      the star, or privacy/histories/visits
-- replaced  its columns with those of the pool, such as `pool.rows as frequency`
-- persons   companions/refresh/persons#numbers, or nothing
-- keys      code_1, code_2, …, and if persons are counted whose and cohort
-- pool      the pool
-- match     one star/recoding/recode#match per attribute, and for whose if persons are counted
--
-- One row per tuple, and person if persons are counted.
select star.* replace ({replaced})
from {star} as star
{persons}
join (
    select
        {keys},
        cast(sum(rows) as bigint) as rows
    from {pool}
    group by all
) as pool
    on {match}

-- section: loss
-- Mean loss of rows by a recoding.
--
-- losses    the sum of one #loss_of per attribute
-- recoding  a relation with codes, levels and rows
-- shares    one #share per attribute
--
-- One row.
select sum(({losses}) * rows) / sum(rows) as loss
from {recoding} as recoding
{shares}

-- section: loss_of
-- The share of the other leaves covered by a cell.
--
-- share  the name of the attribute's share
{share}.loss

-- section: share
-- Loss of an attribute's cells.
--
-- share           the alias of the joined losses
-- generalization  the generalization relation
-- dimension       the attribute's position
-- code            its column of the recoding
-- level           another one
join {generalization} as {share}
    on {share}.dimension = {dimension}
    and {share}.code = recoding.{code}
    and {share}.level = recoding.{level}

-- section: new
-- The recoding of the pool's tuples: tuples with too much loss wait.
--
-- $dearest  how much is too much, summed over the attributes
-- codes     code_1, code_2, …
-- levels    level_1, level_2, …
-- losses    the sum of one #loss_of per attribute
-- recoding  the recoding of the pool
-- shares    one #share per attribute
--
-- One row per tuple that does not wait.
select
    {codes},
    {levels}
from {recoding} as recoding
{shares}
where not recoding.suppressed
    and {losses} <= $dearest

-- section: nobody
-- No tuple of the pool: all of it waits.
--
-- columns  code_1, …, level_1, …, and whose if persons are counted
-- stay     #stay, with these columns
select
    {columns}
from {stay}
limit 0

-- section: mapping
-- The recoding of staying and new rows.
--
-- $turn   the number of this refresh
-- codes   code_1, code_2, …, and whose if persons are counted
-- levels  level_1, level_2, …
-- stay    #stay
-- pooled  those of the pool
-- new     #new
-- pool    #pool
-- match   one star/recoding/recode#match per code
--
-- One row per tuple, kept cells and part: its rows after lower, up to upper.
select
    {codes},
    {levels},
    row,
    turn,
    lower,
    lower + rows as upper
from {stay}
union all
select
    {pooled},
    {levels},
    pool.row,
    cast($turn as bigint) as turn,
    pool.lower,
    pool.lower + pool.rows as upper
from {pool} as pool
join {new} as new
    on {match}

-- section: recoding
-- The recoding of all rows: waiting ones are suppressed.
--
-- $turn    the number of this refresh
-- codes    code_1, code_2, …
-- levels   level_1, level_2, …
-- mapping  #mapping
-- star     the star
-- leaves   its leaf columns, as code_1, code_2, …
-- zeros    one #zero per attribute, as level_1, level_2, …
-- match    one star/recoding/recode#match per attribute
--
-- One row per tuple and part.
select
    {codes},
    {levels},
    turn,
    cast(sum(upper - lower) as bigint) as frequency,
    false as suppressed
from {mapping}
group by all
union all
select
    {leaves},
    {zeros},
    cast($turn as bigint) as turn,
    star.frequency - coalesce(shown.rows, 0) as frequency,
    true as suppressed
from {star} as star
left join (
    select
        {codes},
        cast(sum(upper - lower) as bigint) as rows
    from {mapping}
    group by all
) as shown
    on {match}
where star.frequency > coalesce(shown.rows, 0)

-- section: zero
-- The level of a suppressed cell: its own.
cast(0 as utinyint)

-- section: story
-- Rows shown by these releases: the class of a row, the refresh since which it is shown, and the refresh until which
-- it was shown.
--
-- values    value_1, value_2, …
-- levels    level_1, level_2, …
-- cells     its texts, as cell_1, cell_2, …, and if rows are held kept_1, …, person_1, … of #texts
-- identity  the columns that identify a row: row, and whose if persons are counted
-- mapping   #mapping
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

-- section: text
-- Texts of a row beside its tuple.
--
-- texts  #texts
join {texts} as texts
    on texts.row = recoding.row

-- section: ended
-- Rows that were shown until now, or until an earlier refresh.
--
-- $turn    the number of this refresh
-- columns  the columns that are kept of them
-- story    #story of the release before
-- fates    #fates
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
-- mapping  #mapping
-- story    #story of the release before
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
-- story  #story of the release before
--
-- One row.
select coalesce(max(greatest(turn, coalesce(until, 0))), -1) as turn
from {story}
