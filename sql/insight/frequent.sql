-- How many values an attribute has, and how many rows the most frequent of them.
--
-- $most   how many of them are told
-- $least  the fewest rows of a value that is told
-- place   tells the attribute from others, in one statement with which it is asked
-- value   its column
-- rows    the column of the rows
-- groups  #stayed, or classes of the release
--
-- One row: the place, the values, and the list of rows, largest first.
select
    {place} as place,
    count(*) as found,
    coalesce(list(rows order by rows desc) filter (where rows >= $least)[:$most], []) as frequent
from (
    select cast(sum({rows}) as bigint) as rows
    from {groups}
    group by {value}
)

-- section: stayed
-- The rows of a recoding that are not left out.
--
-- recoding  the recoding: code_1, code_2, …, frequency, suppressed
--
-- One row per row of the recoding.
(
    select *
    from {recoding}
    where not suppressed
)
