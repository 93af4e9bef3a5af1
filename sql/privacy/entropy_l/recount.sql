-- The classes of a QID, each with its number of rows by value of a sensitive attribute. A missing value is a value.
--
-- $log       the logarithm of l
-- sensitive  the sensitive attribute
-- classes    privacy/class_rows
-- values     those of the QID
--
-- One row per class: all its rows, the effective l, its distance above the bound, per row, true if it is too small for
-- sure, and the rows of each value, the rarest first.
select
    any_value(class_rows) as class_rows,
    ln(sum(rows)) - sum(rows * ln(rows)) / sum(rows) as entropy,
    ln(sum(rows)) - sum(rows * ln(rows)) / sum(rows) - $log as above,
    above < -1e-9 as far,
    list(rows order by rows) as counts
from (
    select
        {values},
        {sensitive} as sensitive,
        cast(sum(size) as bigint) as rows,
        any_value(class_rows) as class_rows
    from {classes}
    group by
        {values},
        {sensitive}
)
group by {values}

-- section: far
-- Certain verdicts of floating point on the entropy of classes.
--
-- counted  privacy/entropy_l/recount
--
-- One row: the least effective l; how many classes have too small an entropy, and how many rows those have.
select
    exp(min(entropy)) as fewest,
    count(*) filter (where far) as violating_classes,
    cast(coalesce(sum(class_rows) filter (where far), 0) as bigint) as violating_rows
from {counted}

-- section: near
-- The classes whose entropy floating point cannot decide.
--
-- counted  privacy/entropy_l/recount
--
-- One row per histogram: how many rows each value has, how many classes have it, and how many rows those have.
select
    counts,
    count(*) as classes,
    cast(sum(class_rows) as bigint) as rows
from {counted}
where not far
    and above <= 1e-9
group by counts
