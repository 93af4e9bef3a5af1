-- privacy/delta_disclosure/far
select
    coalesce(bool_or(lacks), false) as lacking,
    max(power) as largest,
    count(*) filter (where far) as violating_classes,
    cast(coalesce(sum(size) filter (where far), 0) as bigint) as violating_rows
from "counted"

-- privacy/delta_disclosure/near
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

-- privacy/delta_disclosure/recount
select
    any_value(size) as size,
    any_value(whole) as whole,
    count(*) < any_value(different) as lacks,
    max(power) as power,
    lacks or bool_or(power - $delta > 1e-9 * (1 + $delta)) as far,
    list(distinct [rows, total] order by [rows, total])
        filter (where abs(power - $delta) <= 1e-9 * (1 + $delta)) as near
from (
    select
        *,
        abs(log2((rows / size) / (total / whole))) as power
    from (
        select
            "values",
            cast(sum(size) as bigint) as rows,
            sum(sum(size)) over (partition by "values") as size,
            sum(sum(size)) over (partition by "sensitive") as total,
            sum(sum(size)) over () as whole,
            (
                select count(*)
                from (
                    select distinct "sensitive"
                    from "classes"
                )
            ) as different
        from "classes"
        group by
            "values",
            "sensitive"
    )
)
group by "values"

-- privacy/delta_disclosure/violated
exists (
    select 1
    from "value_counts"
    group by "values"
    having max(abs(ln(value_rows) + ln(whole) - ln(size) - ln(total))) >= "delta" * ln(2) / "parts" - 0.000000001
        or count(*) < (
            select count(*)
            from (
                select 1 as one
                from "release"
                group by "sensitive"
            ) as different
        )
)
