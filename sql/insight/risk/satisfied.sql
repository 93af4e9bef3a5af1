-- What the classes have of a sensitive attribute, each in its own class that is worst.
--
-- $rows   the rows of the table
-- held    insight/risk/held
-- values  the columns of the quasi-identifier
--
-- One row: the values of the table that are not missing; the fewest of a class; the smallest entropy and the largest
-- share of one value among the rows that have one, where a class without any has an infinitely small entropy and all
-- of a share; the largest relative gain of one and the largest distance from the whole table where all values are
-- alike, the missing one among them.
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
        coalesce(
            ln(nullif(any_value(present), 0))
            - sum(held * ln(held)) filter (where sensitive is not null) / any_value(present),
            cast('-infinity' as double)
        ) as entropy,
        coalesce(max(held / present) filter (where sensitive is not null), 1) as most,
        max(
            (cast(held as hugeint) * $rows - cast(everywhere as hugeint) * size) / (cast(everywhere as hugeint) * size)
        ) as gain,
        cast(sum(greatest(cast(held as hugeint) * $rows - cast(everywhere as hugeint) * size, 0)) as double)
        / (cast(any_value(size) as double) * $rows) as apart
    from {held}
    group by {values}
)
