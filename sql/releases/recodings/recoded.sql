-- The recoding of a release as a table: the rows of every released tuple.
--
-- values    the tuple as texts, as value_1, value_2, …
-- cells     its cells in the release, as cell_1, cell_2, …
-- counts    #whole if no tuple is split, else #split
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
-- The parts of tuples, each once: a recoding may have further parts, such as classes.
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
-- True if a tuple is in several parts, or a part of it is suppressed.
--
-- recoding  the recoding
-- codes     code_1, code_2, …
-- parted    one #differs per column that distinguishes parts
--
-- One row.
select count(*) > 0 as split
from (
    select {codes}
    from {recoding}
    group by {codes}
    having {parted}
)

-- section: differs
-- True if rows of a tuple have several values in a column.
--
-- column  the column
min({column}) <> max({column})

-- section: source
-- The tuples of the source merged by a lowest level: each with its own values.
--
-- values  the tuple as texts, as value_1, value_2, …
-- codes   its codes in the recoding, as code_1, code_2, …
-- listed  code_1, code_2, …
-- order   value_1, value_2, …
-- base    the base frequency set
-- joins   one star/star#join per attribute
--
-- One row per tuple: its rows, and their beginning and end among those of one code (lower, upper), in the order of the
-- values.
select
    *,
    cast(sum(rows) over (partition by {listed} order by {order}) - rows as bigint) as lower,
    cast(sum(rows) over (partition by {listed} order by {order}) as bigint) as upper
from (
    select
        {values},
        {codes},
        cast(sum(base.frequency) as bigint) as rows
    from {base} as base
    {joins}
    group by all
)

-- section: of_source
-- The recoding by the tuples of the source, if a lowest level merges several.
--
-- values    value_1, value_2, …
-- cells     its cells in the release, as cell_1, cell_2, …
-- source    #source
-- parts     #parts_in_turn
-- match     one star/recoding/recode#match per attribute
-- members   one star/recoding/single_dimension#member per attribute
-- named     value_1, value_2, … of the source's tuples
--
-- One row per tuple, or part of one: its rows, those of parts before it (lower), and of all of its parts (total). The
-- materialized part comes before the joins with the members: DuckDB fails on some other orders, as texts of a dimension
-- pass a join ("dict-surviving").
with paired as materialized (
    select
        {named},
        recoding.* exclude (lower, upper),
        least(source.upper, recoding.upper) - greatest(source.lower, recoding.lower) as rows,
        greatest(recoding.lower - source.lower, 0) as lower
    from {source} as source
    join {parts} as recoding
        on {match}
        and source.lower < recoding.upper
        and recoding.lower < source.upper
)
select
    *,
    cast(sum(rows) over (partition by {values}) as bigint) as total
from (
    select
        {values},
        {cells},
        recoding.rows,
        recoding.lower
    from paired as recoding
    {members}
)

-- section: parts_in_turn
-- The parts of tuples, with their beginning and end among the rows of a tuple.
--
-- columns  the columns of a part
-- codes    code_1, code_2, …
-- levels   the order of a tuple's parts
-- parts    #parts
select
    {columns},
    cast(sum(frequency) over turns - frequency as bigint) as lower,
    cast(sum(frequency) over turns as bigint) as upper
from {parts}
window turns as (
    partition by {codes}
    order by {levels}
    rows between unbounded preceding and current row
)
