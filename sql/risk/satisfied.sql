-- What the classes have of a sensitive attribute, each in its own class that is worst.
--
-- $rows   the rows of the table
-- held    risk/held
-- values  the columns of the quasi-identifier
--
-- One row: the values of the table that are not missing; the fewest of a class; the smallest entropy; the largest share
-- of one value; the largest relative gain of one; the largest distance from the whole table where all values are alike.
select
    (
        select count(distinct sensitive)
        from {held}
    ) as found,
    min(present) as present,
    min(entropy) as entropy,
    max(most) as most,
    max(gain) as gain,
    max(apart) as apart
from (
    select
        count(sensitive) as present,
        ln(any_value(size)) - sum(held * ln(held)) / any_value(size) as entropy,
        max(held / size) as most,
        max(
            (cast(held as hugeint) * $rows - cast(everywhere as hugeint) * size) / (cast(everywhere as hugeint) * size)
        ) as gain,
        cast(sum(greatest(cast(held as hugeint) * $rows - cast(everywhere as hugeint) * size, 0)) as double)
        / (cast(any_value(size) as double) * $rows) as apart
    from {held}
    group by {values}
)
