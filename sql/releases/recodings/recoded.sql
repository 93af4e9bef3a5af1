-- The recoding of a release: source values, generalized values and row counts of every released tuple.
--
-- values    the tuple as texts, as value_1, value_2, …
-- cells     its cells in the release, as cell_1, cell_2, …
-- counts    #whole if no tuple is split, else #split
-- recoding  the recoding, or #parts of it as a table: a join of many dimensions is planned badly over a subquery
-- members   one star/recoding/single_dimension#member per attribute
--
-- One row per tuple; several rows (parts) if the rows of a tuple have several generalized values. Each row has the
-- number of rows of the part, of the tuple's parts before it (lower), and of all of the tuple's parts (total).
select
    {values},
    {cells},
    {counts}
from {recoding} as recoding
{members}
where not recoding.suppressed

-- section: whole
-- Row counts of a tuple with the same generalized values in all of its rows.
cast(recoding.frequency as bigint) as rows,
cast(0 as bigint) as lower,
cast(recoding.frequency as bigint) as total

-- section: split
-- Row counts of the parts of a tuple, if its rows have several generalized values; parts are sorted by their levels.
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
-- The parts of tuples: the released rows of a tuple at the same levels. A recoding may divide them further, such as by
-- class; here they are added up.
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
-- True if the rows of any tuple have several generalized values, or if only some of them are suppressed.
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
-- Condition: the rows of a tuple have several values in a column.
--
-- column  the column
min({column}) <> max({column})

-- section: source
-- The tuples of the source with their own values, if a lowest level above 0 gives several tuples the same codes.
--
-- values    the tuple as texts, as value_1, value_2, …
-- codes     its codes in the recoding, as code_1, code_2, …
-- listed    code_1, code_2, …
-- order     value_1, value_2, …
-- base      the base frequency set: number of rows per combination of values
-- joins     one star/star#join per attribute
-- raw       the smallest source value of each attribute, as raw_1, raw_2, …
-- released  #released, or nothing
--
-- One row per tuple: its number of rows, and the first and last position of these rows (lower, upper) among all rows
-- with the same codes, in the order of the values.
select
    *,
    cast(sum(rows) over (partition by {listed} order by {order}) - rows as bigint) as lower,
    cast(sum(rows) over (partition by {listed} order by {order}) as bigint) as upper
from (
    select
        {values},
        {codes},
        {raw},
        cast(sum(base.frequency) as bigint) as rows
    from {base} as base
    {joins}
    {released}
    group by all
)

-- section: released
-- The condition for rows of released persons.
--
-- released  star/recoding/persons#not_suppressed or star/recoding/persons#mapped
where {released}

-- section: of_source
-- The recoding per tuple of the source, if a lowest level above 0 gives several tuples the same codes.
--
-- values   value_1, value_2, …
-- cells    its cells in the release, as cell_1, cell_2, …
-- paired   #in_order, #in_turn or #of_persons
-- members  one star/recoding/single_dimension#member per attribute
-- levels   the order of a tuple's parts: its codes and levels
--
-- One row per tuple, or per part of a tuple with several generalized values: the number of rows of the part, of the
-- tuple's parts before it (lower), and of all of its parts (total). The common table expression is materialized before
-- the joins with the members: DuckDB fails on some other orders, as texts of a dimension pass a join
-- ("dict-surviving").
with paired as materialized (
    {paired}
)
select
    *,
    cast(sum(rows) over (partition by {values}) as bigint) as total
from (
    select
        {values},
        {cells},
        recoding.frequency as rows,
        cast(
            sum(recoding.frequency) over (
                partition by {values}
                order by {levels}
                rows between unbounded preceding and current row
            ) - recoding.frequency as bigint
        ) as lower
    from paired as recoding
    {members}
)

-- section: in_order
-- The tuples of the source with the parts of their recoded tuples, in the order of values and parts.
--
-- named    value_1, value_2, … of the source's tuples
-- columns  the columns of a part but its number of rows
-- source   #source
-- parts    #parts_in_turn
-- match    one star/recoding/recode#match per attribute
--
-- One row per tuple of the source and part, with the number of rows.
select
    {named},
    {columns},
    least(source.upper, recoding.upper) - greatest(source.lower, recoding.lower) as frequency
from {source} as source
join {parts} as recoding
    on {match}
    and source.lower < recoding.upper
    and recoding.lower < source.upper

-- section: in_turn
-- The tuples of the source with the parts of their recoded tuples, if rows of one tuple have several generalized
-- values: each row has the part of its turn, as in the release (star/recoding/recode_locally#turn).
--
-- named    value_1, value_2, … of the source's tuples
-- columns  the columns of a part: code_1, code_2, …, level_1, level_2, …
-- codes    code_1, code_2, …
-- drawn    star/recoding/recode_locally#drawn
-- order    one star/recoding/recode_locally#order per attribute
-- source   #source
-- mapping  star/recoding/mapping
-- match    one star/recoding/recode#match per attribute
--
-- One row per tuple of the source and part, with the number of rows.
select
    {named},
    {columns},
    count(*) as frequency
from (
    select
        source.*,
        row_number() over (
            partition by {codes}
            order by
                {drawn},
                copy,
                {order}
        ) as turn
    from (
        select
            *,
            unnest(range(1, rows + 1)) as copy
        from {source}
    ) as source
    join (
        select distinct
            {codes},
            salt
        from {mapping}
    ) as salts using ({codes})
) as source
join {mapping} as recoding
    on {match}
    and source.turn > recoding.lower
    and source.turn <= coalesce(recoding.upper, source.turn)
where not recoding.suppressed
group by all

-- section: of_persons
-- The tuples of the source with the parts of their recoded tuples, if a person determines the part.
--
-- values   the tuple as texts, as value_1, value_2, …
-- columns  the columns of a part: code_1, code_2, …, level_1, level_2, …
-- base     the base frequency set: number of rows per combination of values
-- joins    one star/star#join per attribute
-- mapping  star/recoding/by_person
-- match    one star/recoding/recode#match per attribute, and one per column of persons
--
-- One row per tuple of the source and part, with the number of rows.
select
    {values},
    {columns},
    cast(sum(base.frequency) as bigint) as frequency
from {base} as base
{joins}
join {mapping} as recoding
    on {match}
group by all

-- section: raw
-- The smallest source value with a text; a text has one, except for numbers such as 0 and -0.
--
-- value  the attribute's column in the base frequency set
min(base.{value})

-- section: parts_in_turn
-- The parts of tuples, with the first and last position of each part's rows (lower, upper) among all rows of the tuple.
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
