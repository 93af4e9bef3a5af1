-- Check of persons' histories: at least k persons have the same history, the multiset of tuples of a person's rows.
--
-- $k         the smallest allowed number of persons with one history
-- histories  #alike
--
-- One row: the number of histories, the number of all rows, the smallest number of persons with one history, the number
-- of histories with fewer than k persons, and the numbers of rows and of persons with such a history.
select
    count(*) as histories,
    cast(coalesce(sum(rows), 0) as bigint) as rows,
    min(size) as fewest,
    count(*) filter (where size < $k) as violating_histories,
    cast(coalesce(sum(rows) filter (where size < $k), 0) as bigint) as violating_rows,
    cast(coalesce(sum(size) filter (where size < $k), 0) as bigint) as violating_persons
from (
    {histories}
)

-- section: alike
-- Number of persons by history, the multiset of tuples of a person's rows. A history is written as a text of numbers of
-- tuples, so that different histories have different texts.
--
-- persons  the columns that identify persons
-- classes  classes over more columns: value_1, value_2, …, size
-- values   the columns of the classes that form a tuple
--
-- One row per history: the number of persons with the history (size), and the number of their rows (rows).
select
    count(*) as size,
    sum(rows) as rows
from (
    select
        string_agg(tuple || ' x ' || times, ', ' order by tuple) as history,
        sum(times) as rows
    from (
        select
            {persons},
            tuple,
            cast(sum(size) as bigint) as times
        from (
            select
                *,
                dense_rank() over (order by {values}) as tuple
            from {classes}
        )
        group by
            {persons},
            tuple
    )
    group by {persons}
)
group by history
