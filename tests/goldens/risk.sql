-- risk/held
select
    *,
    cast(sum(held) over (partition by "values") as bigint) as size,
    cast(sum(held) over (partition by sensitive) as bigint) as everywhere,
    row_number() over descending as place,
    cast(sum(held) over (descending rows between current row and unbounded following) as bigint) as rest
from (
    select
        "values",
        "sensitive" as sensitive,
        cast(sum(size) as bigint) as held
    from "classes"
    group by "values", "sensitive"
)
window descending as (
    partition by "values"
    order by held desc, sensitive
)

-- risk/ordered
with places as materialized (
    select
        sensitive,
        row_number() over (order by number) as place,
        cast(sum(everywhere) over (order by number) as hugeint) as below
    from (
        select distinct
            sensitive,
            try_cast(sensitive as double) as number,
            everywhere
        from "held"
    )
),
summed as materialized (
    select
        *,
        cast(sum(below) over (order by place) as hugeint) as running,
        count(*) over () as places
    from places
),
runs as (
    select
        "values",
        size,
        summed.place as first,
        coalesce(lead(summed.place) over rising, places + 1) - 1 as last,
        cast(sum(held) over rising as hugeint) as reached
    from "held" as held
    join summed
        on summed.sensitive = held.sensitive
    window rising as (
        partition by "values"
        order by summed.place
    )
    union all
    select
        "values",
        any_value(size) as size,
        1 as first,
        min(summed.place) - 1 as last,
        0 as reached
    from "held" as held
    join summed
        on summed.sensitive = held.sensitive
    group by "values"
),
crossed as (
    select
        runs.*,
        least(greatest(coalesce(summed.place, 0), first - 1), last) as crossing
    from runs
    asof left join summed
        on runs.reached * $rows // runs.size >= summed.below
)
select
    coalesce(max(distance / (cast(size as double) * $rows * greatest(places - 1, 1))), 0) as ordered
from (
    select
        any_value(crossed.size) as size,
        cast(
            sum(
                reached * $rows * (crossing - first + 1 - (last - crossing))
                - (2 * coalesce(middle.running, 0) - coalesce(before.running, 0) - coalesce(after.running, 0))
                * crossed.size
            ) as double
        ) as distance
    from crossed
    left join summed as before
        on before.place = first - 1
    left join summed as middle
        on middle.place = crossing
    left join summed as after
        on after.place = last
    group by "values"
)
cross join (
    select count(*) as places
    from summed
)

-- risk/ordered#numbers
select
    count(*) = count(sensitive)
    and count(sensitive) = count(try_cast(sensitive as double)) filter (where isfinite(cast(try_cast(sensitive as double) as double)))
    and count(distinct try_cast(sensitive as double)) = count(distinct sensitive) as are_numbers
from "held"

-- risk/ordered#number
try_cast(sensitive as double)

-- risk/population
select
    classes.size,
    population.people,
    count(*) as classes
from (
    select
        "values",
        cast(sum(size) as bigint) as size
    from "classes"
    group by "values"
) as classes
left join "population" as population
    on cast(classes."value" as varchar) is not distinct from population."text"
group by
    classes.size,
    population.people
order by
    classes.size,
    population.people

-- risk/population#match
cast(classes."value" as varchar) is not distinct from population."text"

-- risk/population#people
select
    "text_1",
    "text_2",
    cast(case when count("people") = count(*) then sum(size * "people") end as bigint) as people
from "classes"
group by all

-- risk/population#counted
case
    when regexp_full_match(cast("count" as varchar), ' *[0-9]{1,11}(\.0*)? *')
        then try_cast(cast("count" as varchar) as bigint)
end

-- risk/population#text
cast("value" as varchar)

-- risk/recursive
select
    place as l,
    max(most / rest) as c
from (
    select
        place,
        rest,
        max(held) over (partition by "values") as most,
        max(place) over (partition by "values") as places
    from "held"
)
group by place
having place > 1
    and count(*) = (
        select count(*)
        from "held"
        where place = 1
    )
order by place

-- risk/satisfied
select
    (
        select count(distinct sensitive)
        from "held"
    ) as found,
    min(present) as present,
    min(entropy) as entropy,
    max(most) as most,
    max(gain) as gain,
    max(apart) as apart
from (
    select
        count(sensitive) as present,
        ln(any_value(size)) - sum(held * ln(held)) / any_value(size) as entropy,
        max(held / size) as most,
        max(
            (cast(held as hugeint) * $rows - cast(everywhere as hugeint) * size) / (cast(everywhere as hugeint) * size)
        ) as gain,
        cast(sum(greatest(cast(held as hugeint) * $rows - cast(everywhere as hugeint) * size, 0)) as double)
        / (cast(any_value(size) as double) * $rows) as apart
    from "held"
    group by "values"
)

-- risk/sizes
select
    size,
    count(*) as classes
from (
    select cast(sum(size) as bigint) as size
    from "classes"
    group by "values"
)
group by size
order by size

-- risk/told_apart
select
    count(*) as classes,
    coalesce(sum(cast(size as hugeint) * (size - 1)), 0) as alike
from (
    select cast(sum(size) as bigint) as size
    from "classes"
    group by "values"
)
