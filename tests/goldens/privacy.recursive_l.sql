-- privacy/recursive_l/recount
select
    first,
    rest,
    count(*) as classes,
    cast(sum(size) as bigint) as rows
from (
    select
        max(rows) as first,
        cast(coalesce(sum(rows) filter (where place >= $l), 0) as bigint) as rest,
        sum(rows) as size
    from (
        select
            "values",
            cast(sum(size) as bigint) as rows,
            row_number() over (partition by "values" order by sum(size) desc) as place
        from "classes"
        group by
            "values",
            "sensitive"
    )
    group by "values"
)
group by
    first,
    rest

-- privacy/recursive_l/violated
exists (
    select 1
    from (
        select
            "values",
            count(*) as value_rows,
            row_number() over (partition by "values" order by count(*) desc) as place
        from "release"
        group by
            "values",
            "sensitive"
    ) as value_counts
    group by "values"
    having max(value_rows) * "parts" >= sum(case when place >= "l" then value_rows else 0 end) * "c"
)

-- privacy/recursive_l/violating
(
    cast(greatest("rows") as hugeint) * "parts"
    >= cast(coalesce(list_sum(list_reverse_sort(["rows"])["l":]), 0) as hugeint) * "c"
)
