-- The t of t-closeness with ordered distance: the largest distance between the distribution of a sensitive attribute in
-- a class and in the whole table.
--
-- The distance adds up differences of cumulative shares over the ordered values. From one value of a class to the next,
-- the cumulative share of the class is constant, and the cumulative share of the table grows. So the difference changes
-- its sign at most once, at a crossing. Running sums of cumulative counts give the sums before and after the crossing.
--
-- $rows   the rows of the table
-- held    commands/audit/held
-- number  #number or the values themselves
-- values  the columns of the quasi-identifier
--
-- One row.
with places as materialized (
    select
        sensitive,
        row_number() over (order by number) as place,
        cast(sum(everywhere) over (order by number) as hugeint) as below
    from (
        select distinct
            sensitive,
            {number} as number,
            everywhere
        from {held}
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
        {values},
        size,
        summed.place as first,
        coalesce(lead(summed.place) over rising, places + 1) - 1 as last,
        cast(sum(held) over rising as hugeint) as reached
    from {held} as held
    join summed
        on summed.sensitive = held.sensitive
    window rising as (
        partition by {values}
        order by summed.place
    )
    union all
    select
        {values},
        any_value(size) as size,
        1 as first,
        min(summed.place) - 1 as last,
        0 as reached
    from {held} as held
    join summed
        on summed.sensitive = held.sensitive
    group by {values}
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
    group by {values}
)
cross join (
    select count(*) as places
    from summed
)

-- section: numbers
-- True if all values of a sensitive attribute are finite numbers, none is missing, and no two are the same number.
--
-- number  #number or the values themselves
-- held    commands/audit/held
--
-- One row.
select
    count(*) = count(sensitive)
    and count(sensitive) = count({number}) filter (where isfinite(cast({number} as double)))
    and count(distinct {number}) = count(distinct sensitive) as are_numbers
from {held}

-- section: number
-- The number in a text; null for any other text.
try_cast(sensitive as double)
