-- Every changed class, in pieces, each with its target class. Classes of the same values are one class (Definition 2),
-- so a class with the values of a new one joins it.
--
-- columns   the columns of a class
-- partners  the same columns of the partner's part
-- values    value_1, value_2, …
-- formed    search/kaca/formed
-- classes   the classes
--
-- One row per piece: rows lower to upper of the source. The pieces of a source are all of its rows.
select
    *,
    min(owner) over (partition by {values}) as target
from (
    select
        id as source,
        id as owner,
        0 as lower,
        frequency as upper,
        {columns}
    from {formed}
    union all
    select
        partner,
        id,
        lower,
        upper,
        {partners}
    from {formed}
    union all
    select
        id,
        id,
        taken,
        frequency,
        {columns}
    from {classes}
    join (
        select
            partner as id,
            max(upper) as taken
        from {formed}
        group by partner
    ) using (id)
    where taken < frequency
    union all
    select
        id,
        id,
        0,
        frequency,
        {columns}
    from {classes}
    semi join {formed} using ({values})
    anti join (
        select id from {formed}
        union all
        select partner from {formed}
    ) using (id)
)

-- section: splits
-- Number of mergers that take only a stub.
--
-- mergers  the mergers
--
-- One row.
select count(*) filter (where not whole) as splits
from {mergers}
