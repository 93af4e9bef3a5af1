-- Figures of a sensitive attribute for the privacy models: each figure is that of the equivalence class with the worst
-- value.
--
-- $rows   the rows of the table
-- held    commands/audit/held
-- values  the columns of the quasi-identifier
--
-- One row. found: number of different values in the table; present: smallest number of different values in a class,
-- both without the missing value. entropy, most: smallest entropy and largest share of one value, among the rows with a
-- value; for a class without any value -infinity and 1. gain: largest relative gain of a value's share in a class over
-- its share in the table. apart: largest distance of a class from the table, with equal distances between values. In
-- gain and apart the missing value counts as a value.
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
