-- Keyed hash of a person. Only the holder of the custodian's secret can hash a guessed person for comparison.
--
-- persons  one #person per column that identifies persons
-- key      a relation with a key made of the custodian's secret
sha256(concat(
    (select {key}.key from {key}),
    sha256(concat((select {key}.key from {key}), {persons}))
))

-- section: person
-- Text of a column that identifies persons, preceded by its length: concatenated columns stay distinct.
--
-- person  the column
' ', length(cast({person} as varchar)), ':', cast({person} as varchar)

-- section: key
-- The key for the hashes of persons.
--
-- key  the data frame with the key
select key
from {key}

-- section: numbers
-- Join of a frequency set's tuples with their persons, by the persons' numbers in this run.
--
-- told  #told
join {told} as told
    on told.person = star.person

-- section: told
-- The number of each person in this run, with the person's hash.
--
-- whose  the main statement
-- codes  privacy/persons/codes
--
-- One row per person.
select
    code as person,
    {whose} as whose
from {codes}

-- section: identities
-- The persons in any release so far, with their cohort. A cohort has the persons with the same history: the same cells
-- were released of them in the same releases, each equally often.
--
-- story  refresh#story of the release before
-- class  the key of classes: cell_1, cell_2, …, turn, until
-- parts  refresh#parts
--
-- One row per person: is_shown is true if any row of the person is still released, and missing is 1 if any of these
-- rows is missing from the source, else 0.
select
    persons.whose as identity,
    persons.cohort,
    1 as copies,
    persons.is_shown,
    cast(coalesce(lost.missing > 0, false) as bigint) as missing
from (
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
) as persons
left join (
    select
        identity,
        sum(missing) as missing
    from {parts}
    group by identity
) as lost
    on lost.identity = persons.whose

-- section: tell
-- Number of a cohort's persons who leave, if no person is held. All persons with a missing or changed row leave, and
-- further persons if needed: at least k persons leave together, and at least k or none stay.
--
-- $k  k
case
    when absent = 0 then 0
    when size - greatest(absent, $k) >= $k then greatest(absent, $k)
    else size
end

-- section: left
-- Number of persons who leave the release now.
--
-- departures  refresh#departures
--
-- One row.
select cast(coalesce(sum(left_now), 0) as bigint) as persons
from {departures}

-- section: pool
-- The pool (new rows allowed to join the release), if k counts persons: all rows of persons never released, and one new
-- row of each staying person. Persons who left, leave now or are held have no row in the pool.
--
-- codes       code_1, code_2, …
-- pool        refresh#pool
-- departures  refresh#departures
--
-- One row per tuple, kept cells and person. New persons are of the cohort 0.
select * replace (case when cohort = 0 then rows else 1 end as rows)
from (
    select
        pool.*,
        coalesce(departures.cohort, 0) as cohort
    from {pool} as pool
    left join {departures} as departures
        on departures.identity = pool.whose
    where departures.identity is null
        or (departures.is_shown and departures.left_now = 0 and departures.held = 0)
)
qualify cohort = 0
    or row_number() over (partition by whose order by {codes}, row) = 1

-- section: kinds
-- Number of groups of at least k persons in the pool with the same cohort and the same number of rows. Only such
-- persons can get the same history.
--
-- $k      k
-- visits  refresh#facts
--
-- One row.
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

-- section: new
-- The recoding of the pool's rows that join the release. No person of a cohort gains a row if 1 to k - 1 persons of the
-- cohort would stay without a new row.
--
-- $k          k
-- codes       code_1, code_2, …
-- levels      level_1, level_2, …
-- recoding    the recoding of the pool
-- told        #told
-- pool        #pool
-- departures  refresh#departures
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
        where left_now = 0
        group by cohort
    ) as stay
        on stay.cohort = pool.cohort
    where not recoding.suppressed
)
where cohort = 0
    or gaining = size
    or size - gaining >= $k
