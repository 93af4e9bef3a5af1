-- privacy/alpha/any
1 = 1

-- privacy/alpha/named
"text" in ("texts")

-- privacy/alpha/recount
select
    max(first / size) as largest,
    count(*) filter (where violates) as violating_classes,
    cast(coalesce(sum(size) filter (where violates), 0) as bigint) as violating_rows
from (
    select
        sum(rows) as size,
        coalesce(max(rows) filter (where asked), 0) as first,
        cast(first as hugeint) * cast($parts as hugeint) > cast(size as hugeint) * cast($share as hugeint) as violates
    from (
        select
            "values",
            cast(sum(size) as bigint) as rows,
            $named is null
                or coalesce(list_contains(cast($named as varchar[]), cast("sensitive" as varchar)), false) as asked
        from "classes"
        group by
            "values",
            "sensitive"
    )
    group by "values"
)

-- privacy/alpha/text
cast("sensitive" as varchar)

-- privacy/alpha/text.mariadb
cast("sensitive" as char) collate utf8mb4_nopad_bin

-- privacy/alpha/text.postgresql
cast("sensitive" as text) collate "C"

-- privacy/alpha/text.sqlite
cast("sensitive" as text) collate binary

-- privacy/alpha/violated
exists (
    select 1
    from (
        select
            value_rows,
            sum(value_rows) over (partition by "values") as size,
            asked
        from (
            select
                "values",
                max(case when "named" then 1 else 0 end) as asked,
                count(*) as value_rows
            from "release"
            group by
                "values",
                "sensitive"
        ) as value_counts
    ) as value_shares
    where asked = 1
        and value_rows * "parts" > size * "share"
)
