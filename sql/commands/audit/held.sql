-- The values of a sensitive attribute in each class. A missing value is a value.
--
-- sensitive  the attribute
-- classes    classes over more columns: value_1, value_2, …, size
-- values     those of the quasi-identifier
--
-- One row per class and value: its rows, those of the class, those of the class with a value, those of the value in the
-- whole table; and, in the class, the place of the value from the most frequent and the rows from there on. The missing
-- value has the last place and counts for nothing.
select
    *,
    cast(sum(held) over (partition by {values}) as bigint) as size,
    cast(coalesce(sum(held) filter (where sensitive is not null) over (partition by {values}), 0) as bigint) as present,
    cast(sum(held) over (partition by sensitive) as bigint) as everywhere,
    row_number() over descending as place,
    cast(
        sum(case when sensitive is null then 0 else held end)
            over (descending rows between current row and unbounded following) as bigint
    ) as rest
from (
    select
        {values},
        {sensitive} as sensitive,
        cast(sum(size) as bigint) as held
    from {classes}
    group by {values}, {sensitive}
)
window descending as (
    partition by {values}
    order by sensitive is null, held desc, sensitive
)

-- section: share
-- The largest share of persons with one value among those with any value, in a class.
--
-- sensitive  the attribute
-- classes    privacy/persons/recount#counted
-- values     those of the quasi-identifier
--
-- One row; a class without any value has all of a share.
select max(most)
from (
    select coalesce(max(those / everybody) filter (where sensitive is not null), 1) as most
    from (
        select
            {values},
            {sensitive} as sensitive,
            count(*) as those,
            any_value(everybody) as everybody
        from {classes}
        group by {values}, {sensitive}
    )
    group by {values}
)
