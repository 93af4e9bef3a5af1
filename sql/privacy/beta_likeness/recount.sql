-- Shares of a sensitive attribute's values in the classes of a QID, beside those of the table. A missing value is a
-- value.
--
-- $beta      the largest relative gain
-- $enhanced  whether -ln of a value's share of the table bounds it, too
-- counted    privacy/class_values
--
-- One row per class: its counted rows, all its rows, those of the table, the largest gain, true if one gain is too
-- large for sure, and, for gains not small enough for sure, their rows here and everywhere.
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
-- Certain verdicts of floating point on the gains of classes.
--
-- counted  privacy/beta_likeness/recount
--
-- One row: the largest gain; how many classes have too large a one, and how many rows those have.
select
    max(gain) as largest,
    count(*) filter (where far) as violating_classes,
    cast(coalesce(sum(class_rows) filter (where far), 0) as bigint) as violating_rows
from {counted}
