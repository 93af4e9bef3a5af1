-- The classes of a QID, each with how many rows have which value of a sensitive attribute. A missing value is a
-- value.
--
-- $log       the logarithm of l
-- sensitive  the sensitive attribute
-- classes    classes over more columns: value_1, value_2, …, size
-- values     those of the QID
--
-- One row per class: its rows, the effective l, how far above the bound it is, per row, and how many rows each value
-- has, the rarest first.
select
    sum(rows) as size,
    ln(sum(rows)) - sum(rows * ln(rows)) / sum(rows) as entropy,
    ln(sum(rows)) - sum(rows * ln(rows)) / sum(rows) - $log as above,
    list(rows order by rows) as counts
from (
    select
        {values},
        {sensitive} as sensitive,
        cast(sum(size) as bigint) as rows
    from {classes}
    group by
        {values},
        {sensitive}
)
group by {values}
