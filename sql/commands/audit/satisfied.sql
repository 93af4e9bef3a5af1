-- Figures of a sensitive attribute in the classes, each from its worst class.
--
-- $rows   the rows of the table
-- held    commands/audit/held
-- values  the columns of the quasi-identifier
--
-- One row: the table's values without the missing one; the fewest of a class; the smallest entropy and the largest
-- share of one value among the rows with a value (a class without any has an infinitely small entropy and a share of
-- one); the largest relative gain of one value; and the largest distance from the whole table with equal distances
-- between values, the missing one among them.
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
