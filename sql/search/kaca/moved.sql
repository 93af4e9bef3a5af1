-- The shares (numbers of rows per tuple) of the changed classes, assigned to the classes formed of their pieces. If a
-- class is split, the seed chooses the tuples of each piece.
--
-- $seed   the seed
-- shares  the number of rows of each tuple in each class (search/kaca/tuples#shares)
-- pieces  search/kaca/pieces or search/kaca/raised
--
-- One row per tuple and class. sum(frequency) is the number of rows of the pieces.
select
    share.tuple,
    piece.target as class,
    cast(sum(least(share.upper, piece.upper) - greatest(share.lower, piece.lower)) as bigint) as frequency
from (
    select
        tuple,
        class,
        sum(frequency) over (partition by class order by hash($seed, tuple), tuple) - frequency as lower,
        sum(frequency) over (partition by class order by hash($seed, tuple), tuple) as upper
    from {shares}
    where class in (
        select source
        from {pieces}
    )
) as share
join {pieces} as piece
    on piece.source = share.class
    and piece.lower < share.upper
    and piece.upper > share.lower
group by
    share.tuple,
    piece.target

-- section: leave
-- Delete rows of changed or suppressed classes.
--
-- relation  the classes, or the shares
-- key       the relation's column with the id of a class
-- column    the column of gone with the id of a class
-- gone      the relation of changed or suppressed classes
delete from {relation}
where {key} in (
    select {column}
    from {gone}
)
