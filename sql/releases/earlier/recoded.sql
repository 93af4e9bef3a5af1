-- The recoding of a release as a table: what became of the rows of every tuple that was released.
--
-- values    the tuple as texts, as value_1, value_2, …
-- cells     what it reads in the release, as cell_1, cell_2, …
-- counts    #whole where no tuple is split, else #split
-- recoding  the recoding, or #parts of it as a table: a join of many dimensions is planned badly over a subquery
-- members   one star/recoding/single_dimension#member per attribute
--
-- One row per tuple, or part of one: its rows, those of parts before it (lower), and of all of its parts (total).
select
    {values},
    {cells},
    {counts}
from {recoding} as recoding
{members}
where not recoding.suppressed

-- section: whole
-- All rows of a tuple went to the same cells.
cast(recoding.frequency as bigint) as rows,
cast(0 as bigint) as lower,
cast(recoding.frequency as bigint) as total

-- section: split
-- Rows of a tuple went to several cells, in some order.
--
-- codes   code_1, code_2, …
-- levels  level_1, level_2, …
recoding.frequency as rows,
cast(
    sum(recoding.frequency) over (
        partition by {codes}
        order by {levels}
        rows between unbounded preceding and current row
    ) - recoding.frequency as bigint
) as lower,
cast(sum(recoding.frequency) over (partition by {codes}) as bigint) as total

-- section: parts
-- The parts of tuples, each once: a recoding may tell further parts apart, such as classes.
--
-- codes     code_1, code_2, …
-- levels    level_1, level_2, …
-- recoding  the recoding
select
    {codes},
    {levels},
    cast(sum(frequency) as bigint) as frequency,
    suppressed
from {recoding}
where not suppressed
group by all

-- section: is_split
-- Whether a tuple is in several parts.
--
-- recoded  releases/earlier/recoded
--
-- One row.
select count(*) > 0 as split
from {recoded}
where lower > 0
