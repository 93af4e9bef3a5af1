-- Numbers of persons by history. Two persons have the same history if the same cells were released of them in the same
-- releases, each equally often.
--
-- $k      k
-- before  the rows of the earlier releases, with their persons
-- story   the rows of all releases, including the new one
-- class   the key of classes: cell_1, cell_2, …, turn, until
--
-- One row: the fewest persons with one history, the number of histories, and the number of histories with fewer than k
-- persons; all rows, rows no longer shown, and rows not shown before.
select
    min(persons) as fewest,
    count(*) as histories,
    count(*) filter (where persons < $k) as violating,
    cast(coalesce(sum(rows), 0) as bigint) as rows,
    cast(coalesce(sum(gone), 0) as bigint) as gone,
    cast(coalesce(sum(new), 0) as bigint) as new
from (
    select
        count(*) as persons,
        sum(rows) as rows,
        sum(gone) as gone,
        sum(new) as new
    from (
        select
            string_agg(class || ' x ' || times, ', ' order by class) as history,
            sum(times) as rows,
            sum(times) filter (where until is not null) as gone,
            sum(times) filter (where is_new) as new
        from (
            select
                whose,
                class,
                until,
                is_new,
                cast(sum(rows) as bigint) as times
            from (
                select
                    *,
                    dense_rank() over (order by {class}) as class,
                    coalesce(turn > (
                        select max(greatest(turn, coalesce(until, 0)))
                        from {before}
                    ), true) as is_new
                from {story}
            )
            group by all
        )
        group by whose
    )
    group by history
)

-- section: differing
-- Number of rows in only one of two statements. Compared are the staged release with the new story (the stored rows of
-- all releases), or the old story with the new story.
--
-- one    #shown or #told
-- other  #released or #known
--
-- One row.
select count(*)
from (
    (
        {one}
        except
        {other}
    )
    union all
    (
        {other}
        except
        {one}
    )
)

-- section: shown
-- The rows of the current release according to the story.
--
-- story  the rows of all releases, including the new one, with their persons
-- cells  cell_1, cell_2, …
--
-- One row per person, kept cells and cells.
select
    whose,
    row,
    {cells},
    cast(sum(rows) as bigint) as rows
from {story}
where until is null
group by all

-- section: released
-- The rows of the staged release, counted by person, kept cells and generalized cells.
--
-- whose    companions/refresh/persons
-- hash     companions/refresh/refresh#hash of the person and the kept cells
-- cells    the quasi-identifiers as texts, as cell_1, cell_2, …
-- release  the staged release, with the columns that identify persons
--
-- One row per person, kept cells and cells.
select
    {whose} as whose,
    {hash} as row,
    {cells},
    count(*) as rows
from (
    {release}
) as released
group by all

-- section: known
-- The rows of earlier releases, as stored by the last refresh.
--
-- before  the rows of the earlier releases, with their persons
-- cells   cell_1, cell_2, …
--
-- One row per person, kept cells, cells and turns.
select
    whose,
    row,
    {cells},
    turn,
    until,
    cast(sum(rows) as bigint) as rows
from {before}
group by all

-- section: told
-- The rows of earlier releases according to the new story. For a row that leaves in this release, the end (until) is
-- omitted, for comparison with the old story.
--
-- before  the rows of the earlier releases, with their persons
-- story   the rows of all releases, including the new one
-- cells   cell_1, cell_2, …
--
-- One row per person, kept cells, cells and turns.
select
    whose,
    row,
    {cells},
    story.turn,
    nullif(until, last.turn + 1) as until,
    cast(sum(rows) as bigint) as rows
from {story} as story, (
    select max(greatest(turn, coalesce(until, 0))) as turn
    from {before}
) as last
where story.turn <= last.turn
    or story.until is not null
group by all
