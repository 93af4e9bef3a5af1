-- privacy/beta_likeness/enhanced
exists (
    select 1
    from "value_counts"
    where 1.0 * value_rows * whole * "parts" > 1.0 * total * size * ("beta" + "parts") * 0.999999999
        or 1.0 * value_rows * whole > 1.0 * total * size * (1 + ln(whole) - ln(total)) * 0.999999999
            and total < whole
)

-- privacy/beta_likeness/far
select
    max(gain) as largest,
    count(*) filter (where far) as violating_classes,
    cast(coalesce(sum(size) filter (where far), 0) as bigint) as violating_rows
from "counted"

-- privacy/beta_likeness/near
select
    near,
    cast(size as bigint) as size,
    cast(whole as bigint) as whole,
    count(*) as classes,
    cast(sum(size) as bigint) as rows
from "counted"
where not far
    and near is not null
group by
    near,
    size,
    whole

-- privacy/beta_likeness/recount
select
    any_value(size) as size,
    any_value(whole) as whole,
    max(gain) as gain,
    bool_or(gain - bound > 1e-9 * (1 + bound)) as far,
    list(distinct [rows, total] order by [rows, total]) filter (where abs(gain - bound) <= 1e-9 * (1 + bound)) as near
from (
    select
        *,
        (rows / size) / (total / whole) - 1 as gain,
        case when $enhanced then least($beta, -ln(total / whole)) else $beta end as bound
    from (
        select
            "values",
            cast(sum(size) as bigint) as rows,
            sum(sum(size)) over (partition by "values") as size,
            sum(sum(size)) over (partition by "sensitive") as total,
            sum(sum(size)) over () as whole
        from "classes"
        group by
            "values",
            "sensitive"
    )
)
group by "values"

-- privacy/beta_likeness/violated
exists (
    select 1
    from "value_counts"
    where 1.0 * value_rows * whole * "parts" > 1.0 * total * size * ("beta" + "parts") * 0.999999999
)
