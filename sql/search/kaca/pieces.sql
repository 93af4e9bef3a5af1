-- Every class changed by a merger, in pieces (ranges of its rows), and the target class of each piece. Classes with
-- equal values are one class (Definition 2), so an old class with the values of a new class becomes part of it.
--
-- columns   the columns of a class
-- partners  the same columns for the partner's piece
-- values    value_1, value_2, …
-- formed    search/kaca/formed
-- classes   the equivalence classes so far
--
-- One row per piece: the rows from number lower to number upper of the class source. The pieces of a class cover all of
-- its rows.
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
-- Number of mergers of a class with only some rows of another class.
--
-- mergers  the accepted mergers of a round (search/kaca/accepted)
--
-- One row.
select count(*) filter (where not whole) as splits
from {mergers}
