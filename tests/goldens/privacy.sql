-- privacy/added
cast(sum("rows") as bigint)

-- privacy/coded
left join "codes"
    on "codes".value = base."value"

-- privacy/codes
select
    value,
    row_number() over (order by value) - 1 as code
from (
    select distinct "value" as value
    from "base"
    where "value" is not null
)

-- privacy/held
coalesce(bitstring_agg("code", 0, "last"), bitstring('0', "values"))

-- privacy/merged
bit_or("held")

-- privacy/released
(
    select
        "values",
        count(*) as value_rows,
        sum(count(*)) over (partition by "values") as size,
        sum(count(*)) over (partition by "sensitive") as total,
        sum(count(*)) over () as whole
    from "release"
    group by
        "values",
        "sensitive"
) as value_counts

-- privacy/rows_with
cast(coalesce(sum(base.frequency) filter (where "code" = "number"), 0) as bigint)

-- privacy/rows_without
cast(coalesce(sum(base.frequency) filter (where "code" is null), 0) as bigint)

-- privacy/totals
select
    "codes".code,
    cast("codes".value as varchar) as text,
    cast(sum(base.frequency) as bigint) as rows
from "base" as base
left join "codes"
    on "codes".value = base."value"
group by
    "codes".code,
    "codes".value
order by "codes".code nulls last

-- privacy/tuples
select
    "values",
    sum(base.checksum) as checksum,
    cast(sum(base.frequency) as bigint) as frequency,
    coalesce(bitstring_agg("code", 0, "last"), bitstring('0', "values"))
from "base" as base
left join "codes"
    on "codes".value = base."value"
group by "values"

-- privacy/violating
("models")

-- privacy/whole
select "violating" as violated
from (
    select
        cast(sum(frequency) as bigint) as frequency
    from "facts"
)
