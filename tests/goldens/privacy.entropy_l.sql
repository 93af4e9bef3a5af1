-- privacy/entropy_l/far
select
    exp(min(entropy)) as fewest,
    count(*) filter (where above < -1e-9) as violating_classes,
    cast(coalesce(sum(size) filter (where above < -1e-9), 0) as bigint) as violating_rows
from "counted"

-- privacy/entropy_l/near
select
    counts,
    count(*) as classes,
    cast(sum(size) as bigint) as rows
from "counted"
where above between -1e-9 and 1e-9
group by counts

-- privacy/entropy_l/recount
select
    sum(rows) as size,
    ln(sum(rows)) - sum(rows * ln(rows)) / sum(rows) as entropy,
    ln(sum(rows)) - sum(rows * ln(rows)) / sum(rows) - $log as above,
    list(rows order by rows) as counts
from (
    select
        "values",
        "sensitive" as sensitive,
        cast(sum(size) as bigint) as rows
    from "classes"
    group by
        "values",
        "sensitive"
)
group by "values"

-- privacy/entropy_l/violated
exists (
    select 1
    from (
        select
            "values",
            count(*) as value_rows
        from "release"
        group by
            "values",
            "sensitive"
    ) as value_counts
    group by "values"
    having sum(value_rows) * (ln(sum(value_rows)) - ln("l") + ln("parts") - 0.000000001)
        < sum(value_rows * ln(value_rows))
)

-- privacy/entropy_l/violating
frequency * (ln(frequency) - ln("l") + ln("parts"))
    - list_sum([value_rows * ln(value_rows) for value_rows in ["rows"] if value_rows > 0])
    < -1e-11 * frequency
