-- Check of persons' histories: enough persons have the same tuples, each as often.
--
-- $k         the smallest allowed number of persons
-- histories  #alike
--
-- One row: the histories, the rows of all persons, the fewest persons with one history; how many histories fewer than k
-- have, how many rows those persons have, and how many they are.
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
-- Number of persons with the same tuples, each as often. A history is written as numbers of tuples, so that different
-- histories have different texts.
--
-- persons  the columns that identify persons
-- classes  classes over more columns: value_1, value_2, …, size
-- values   those of the tuples
--
-- One row per history: as size how many persons have it, and how many rows those have.
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
