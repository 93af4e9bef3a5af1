-- The rows of the source by their tuples, their kept cells and their persons.
--
-- codes   code_1, code_2, …
-- whose   a name unused in the source
-- row     another one
-- person  #whose
-- hash    companions/refresh/refresh#hash of the person and the kept cells
-- source  the source
-- maps    one star/recoding/recode#map per quasi-identifier
--
-- One row per tuple, kept cells and person.
select
    {codes},
    source.{whose} as whose,
    source.{row} as row,
    count(*) as rows
from (
    select
        source.*,
        {person} as {whose},
        {hash} as {row}
    from {source} as source
) as source
{maps}
group by all

-- section: whose
-- Hash of a person. Without the custodian's secret nobody can try out guesses.
--
-- persons  one #person per column that identifies persons
-- key      a relation with a key made of that secret
sha256(concat(
    (select {key}.key from {key}),
    sha256(concat((select {key}.key from {key}), {persons}))
))

-- section: person
-- A column that identifies persons, with its length, so that several columns concatenated stay distinct.
--
-- person  the column
' ', length(cast({person} as varchar)), ':', cast({person} as varchar)

-- section: key
-- The key for the hashes of persons.
--
-- key  the frame of it
select key
from {key}

-- section: told
-- The persons' numbers in this run.
--
-- whose  #whose
-- codes  privacy/persons/codes
--
-- One row per person.
select
    code as person,
    {whose} as whose
from {codes}

-- section: persons
-- The persons shown by any of the releases, with their cohort: persons with the same history, that is, the same cells
-- in the same releases, each as often.
--
-- story  #story of the release before
-- class  the key of classes: cell_1, cell_2, …, turn, until
--
-- One row per person: whether any row of them is still shown.
select
    whose,
    dense_rank() over (order by history) as cohort,
    is_shown
from (
    select
        whose,
        list([class, rows] order by class) as history,
        bool_or(is_shown) as is_shown
    from (
        select
            whose,
            class,
            cast(sum(rows) as bigint) as rows,
            bool_or(until is null) as is_shown
        from (
            select
                *,
                dense_rank() over (order by {class}) as class
            from {story}
        )
        group by
            whose,
            class
    )
    group by whose
)

-- section: fewest
-- The smallest cohort.
--
-- persons  #persons
--
-- One row.
select min(size) as fewest
from (
    select count(*) as size
    from {persons}
    group by cohort
)

-- section: still
-- Shown rows still in the source.
--
-- codes    code_1, code_2, …
-- shown    value_1, …, level_1, … as shown
-- story    #story of the release before
-- members  one companions/refresh/refresh#member per attribute
-- rows     the rows of the source
-- match    one star/recoding/recode#match per attribute
--
-- One row per tuple, kept cells, person and part.
select
    {codes},
    {shown},
    recoding.whose,
    recoding.row,
    recoding.turn,
    recoding.lower,
    recoding.rows
from {story} as recoding
{members}
join {rows} as rows
    on {match}
    and rows.whose = recoding.whose
    and rows.row = recoding.row
where recoding.until is null
    and rows.rows >= recoding.lower + recoding.rows

-- section: departures
-- Leaving persons: some with a row gone or changed, and others of their cohort. A person of the former kind who does
-- not leave is held.
--
-- leaving  #told_leave or companions/refresh/hold#going
-- persons  #persons
-- story    #story of the release before
-- still    #still
--
-- One row per person who is shown.
select
    whose,
    cohort,
    place <= leaving as leaves,
    is_gone and place > leaving as is_held
from (
    select
        *,
        {leaving} as leaving
    from (
        select
            *,
            count(*) over (partition by cohort) as size,
            count(*) filter (where is_gone) over (partition by cohort) as absent,
            row_number() over (partition by cohort order by is_gone desc, whose) as place
        from (
            select
                persons.whose,
                persons.cohort,
                shown.rows > coalesce(there.rows, 0) as is_gone
            from {persons} as persons
            join (
                select
                    whose,
                    sum(rows) as rows
                from {story}
                where until is null
                group by whose
            ) as shown
                on shown.whose = persons.whose
            left join (
                select
                    whose,
                    sum(rows) as rows
                from {still}
                group by whose
            ) as there
                on there.whose = persons.whose
        )
    )
)

-- section: told_leave
-- Number of a cohort's persons who leave if no person is held: all with a row gone or changed, and as many others as
-- needed for at least k to leave at once, and for at least k or none to stay.
--
-- $k  k
case
    when absent = 0 then 0
    when size - greatest(absent, $k) >= $k then greatest(absent, $k)
    else size
end

-- section: held
-- Rows of held persons missing from the source.
--
-- columns     their cells as texts, as value_1, …, kept_1, …, person_1, …
-- story       #story of the release before
-- departures  #departures
-- still       #still
-- match       one store/same per attribute
--
-- One row per tuple, kept cells, person and part, with the number of held rows.
select
    {columns},
    story.rows as held
from {story} as story
join {departures} as departures
    on departures.whose = story.whose
    and departures.is_held
where story.until is null
    and not exists (
        select 1
        from {still} as still
        where {match}
            and still.whose = story.whose
            and still.row = story.row
            and still.turn = story.turn
            and still.lower = story.lower
    )

-- section: left
-- Number of leaving persons.
--
-- departures  #departures
--
-- One row.
select count(*) as persons
from {departures}
where leaves

-- section: stay
-- The rows of persons who stay, as they were.
--
-- still       #still
-- departures  #departures
--
-- One row per tuple, kept cells, person and part.
select still.*
from {still} as still
join {departures} as departures
    on departures.whose = still.whose
    and not departures.leaves

-- section: pool
-- Rows that may be shown from now on: all rows of persons never shown, and unshown rows of each staying person. Persons
-- who left, leave or are held have none.
--
-- codes       code_1, code_2, …, of the rows
-- kept        code_1, code_2, …
-- rows        the rows of the source
-- persons     #persons
-- departures  #departures
-- stay        #stay
-- match       one star/recoding/recode#match per attribute
--
-- One row per tuple, kept cells and person. New persons are of the cohort 0.
select
    {codes},
    rows.whose,
    rows.row,
    cast(0 as bigint) as cohort,
    rows.rows,
    cast(0 as bigint) as lower
from {rows} as rows
where not exists (
    select 1
    from {persons} as persons
    where persons.whose = rows.whose
)
union all
select
    {kept},
    whose,
    row,
    cohort,
    cast(1 as bigint) as rows,
    lower
from (
    select
        {codes},
        rows.whose,
        rows.row,
        departures.cohort,
        coalesce(stay.rows, 0) as lower,
        row_number() over (partition by rows.whose order by {codes}, rows.row) as place
    from {rows} as rows
    join {departures} as departures
        on departures.whose = rows.whose
        and not departures.leaves
        and not departures.is_held
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
)
where place = 1

-- section: visits
-- The tuples of the persons of the pool, for the search.
--
-- visits  privacy/histories/visits
-- told    #told
-- pool    #pool
-- codes   code_1, code_2, …
-- match   one star/recoding/recode#match per attribute
--
-- One row per person and tuple.
select visits.* replace (
    pool.cohort as cohort,
    pool.rows as frequency
)
from {visits} as visits
join {told} as told
    on told.person = visits.person
join (
    select
        {codes},
        whose,
        cohort,
        cast(sum(rows) as bigint) as rows
    from {pool}
    group by all
) as pool
    on {match}
    and pool.whose = told.whose

-- section: spread
-- The pool, and whether any of its persons could be alike: k of a cohort with as many rows.
--
-- $k      k
-- visits  #visits
--
-- One row: its rows, its tuples of persons, and how many such kinds of persons there are.
select
    cast(coalesce(sum(rows), 0) as bigint) as rows,
    cast(coalesce(sum(tuples), 0) as bigint) as tuples,
    (
        select count(*)
        from (
            select 1
            from (
                select
                    person,
                    cohort,
                    sum(frequency) as rows
                from {visits}
                group by
                    person,
                    cohort
            )
            group by
                cohort,
                rows
            having count(*) >= $k
        )
    ) as kinds
from (
    select
        sum(frequency) as rows,
        count(*) as tuples
    from {visits}
)

-- section: new
-- The recoding of the pool's tuples. If fewer than k persons of a cohort would stay without a new row, no person of it
-- gains a row.
--
-- $k          k
-- codes       code_1, code_2, …
-- levels      level_1, level_2, …
-- recoding    the recoding of the pool
-- told        #told
-- pool        #pool
-- departures  #departures
--
-- One row per person and tuple that does not wait.
select
    whose,
    {codes},
    {levels}
from (
    select
        recoding.*,
        told.whose,
        pool.cohort,
        stay.size,
        count(distinct told.whose) over (partition by pool.cohort) as gaining
    from {recoding} as recoding
    join {told} as told
        on told.person = recoding.person
    join (
        select distinct
            whose,
            cohort
        from {pool}
    ) as pool
        on pool.whose = told.whose
    left join (
        select
            cohort,
            count(*) as size
        from {departures}
        where not leaves
        group by cohort
    ) as stay
        on stay.cohort = pool.cohort
    where not recoding.suppressed
)
where cohort = 0
    or gaining = size
    or size - gaining >= $k

-- section: story
-- The rows shown by all of these releases, with their persons: the class of a row, the refresh since which it is there,
-- and the refresh until which it was there.
--
-- $turn       the number of this refresh
-- values      value_1, value_2, …
-- levels      level_1, level_2, …
-- cells       its texts, as cell_1, cell_2, …, and if rows are held kept_1, …, person_1, … of the texts
-- mapping     companions/refresh/refresh#mapping
-- members     one star/recoding/single_dimension#member per attribute, and if rows are held the texts
-- columns     value_1, …, level_1, …, cell_1, … of the release before
-- before      #story of the release before
-- departures  #departures
--
-- One row per tuple, kept cells, person and part.
select
    {values},
    {levels},
    {cells},
    recoding.whose,
    recoding.row,
    recoding.turn,
    cast(null as bigint) as until,
    recoding.lower,
    recoding.upper - recoding.lower as rows
from {mapping} as recoding
{members}
union all by name
select
    {columns},
    before.whose,
    before.row,
    before.turn,
    coalesce(before.until, $turn) as until,
    before.lower,
    before.rows
from {before} as before
left join {departures} as departures
    on departures.whose = before.whose
where before.until is not null
    or departures.leaves

-- section: texts
-- Texts of rows beside their tuples, so that the rows can be held.
--
-- texts  companions/refresh/hold#cells of the kept columns, and of those that identify persons
join {texts} as texts
    on texts.row = recoding.row

-- section: known
-- The rows shown by the releases before, with the needed columns.
--
-- columns  value_1, …, level_1, …, cell_1, …, and if rows are held kept_1, …, person_1, …
-- story    #story of the release before
select
    {columns},
    whose,
    row,
    turn,
    until,
    lower,
    rows
from {story}

-- section: shown
-- The rows shown by the release before.
--
-- story  #story of it
--
-- One row per tuple, kept cells, person and part.
select *
from {story}
where until is null

-- section: nothing
-- No release was before.
--
-- values  value_1, value_2, …, all missing
-- levels  level_1, level_2, …
-- cells   cell_1, cell_2, …, all missing
select
    {values},
    {levels},
    {cells},
    cast('' as varchar) as whose,
    cast(0 as bigint) as row,
    cast(0 as bigint) as turn,
    cast(null as bigint) as until,
    cast(0 as bigint) as lower,
    cast(0 as bigint) as rows
limit 0

-- section: turns
-- The number of the last refresh with a change.
--
-- story  #story
--
-- One row.
select coalesce(max(greatest(turn, coalesce(until, 0))), -1) as turn
from {story}
