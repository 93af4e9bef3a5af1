-- Comparison of the classes of a QID with the bound of entropy l-diversity by floating point. A missing value is a
-- value.
--
-- $log       the logarithm of l
-- sensitive  the sensitive attribute
-- classes    privacy/class_rows
-- values     the QID's columns of the classes
--
-- One row per class: all its rows (class_rows), the entropy of the sensitive values (entropy), the entropy minus the
-- logarithm of l (above), true if the entropy is too small for sure (far), and the number of rows per value in
-- ascending order (counts).
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
-- Number of classes with too small an entropy for sure, by floating point.
--
-- counted  privacy/entropy_l/recount
--
-- One row: the least exp(entropy) of a class, the number of classes with too small an entropy for sure, and the number
-- of rows in these classes.
select
    exp(min(entropy)) as fewest,
    count(*) filter (where far) as violating_classes,
    cast(coalesce(sum(class_rows) filter (where far), 0) as bigint) as violating_rows
from {counted}

-- section: near
-- The classes with an entropy too close to the bound for a decision by floating point. The caller decides them exactly.
--
-- counted  privacy/entropy_l/recount
--
-- One row per group of classes with equal row counts per value: these counts, the number of such classes, and the
-- number of all their rows.
select
    counts,
    count(*) as classes,
    cast(sum(class_rows) as bigint) as rows
from {counted}
where not far
    and above <= 1e-9
group by counts
