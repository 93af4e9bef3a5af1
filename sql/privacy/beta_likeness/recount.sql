-- Comparison of the classes of a QID with the bound of β-likeness by floating point, with a margin for rounding. A
-- missing value is a value.
--
-- $beta      the largest relative gain
-- $enhanced  whether -ln of a value's share of the table bounds it, too
-- counted    privacy/class_values
--
-- One row per class: its counted rows (size), all its rows (class_rows), the rows of the table (whole), the largest
-- relative gain of a value (gain), true if a gain is above the bound for sure (far), and a pair per value whose gain
-- may be above the bound: the value's rows in the class and in the table (near).
select
    any_value(size) as size,
    any_value(class_rows) as class_rows,
    any_value(whole) as whole,
    max(gain) as gain,
    bool_or(gain - bound > 1e-9 * (1 + bound)) as far,
    list(distinct [rows, total] order by [rows, total]) filter (where gain - bound >= -1e-9 * (1 + bound)) as near
from (
    select
        *,
        (rows / size) / (total / whole) - 1 as gain,
        case when $enhanced then least($beta, -ln(total / whole)) else $beta end as bound
    from (
        {counted}
    )
    where rows > 0
)
group by class

-- section: far
-- Number of classes above the bound of β-likeness for sure, by floating point.
--
-- counted  privacy/beta_likeness/recount
--
-- One row: the largest gain of a value in a class, the number of classes with a gain above the bound for sure, and the
-- number of rows in these classes.
select
    max(gain) as largest,
    count(*) filter (where far) as violating_classes,
    cast(coalesce(sum(class_rows) filter (where far), 0) as bigint) as violating_rows
from {counted}
