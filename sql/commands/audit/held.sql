-- The values of a sensitive attribute in each equivalence class, with counts of rows. The missing value counts as a
-- value.
--
-- sensitive  the attribute
-- classes    classes over more columns: value_1, value_2, …, size
-- values     the columns of the quasi-identifier
--
-- One row per class and value. Numbers of rows: held, with the value in the class; size, of the class; present, of the
-- class without a missing value; everywhere, with the value in the whole table. place is the value's rank in the class,
-- 1 for the most frequent; the missing value has the last rank. rest is the number of rows with values of this rank or
-- a later one, without missing values.
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
-- The largest share of one value among the persons of a class with any value, over all classes and values.
--
-- sensitive  the attribute
-- classes    privacy/persons/recount#counted
-- values     the columns of the quasi-identifier
--
-- One row, from 0 to 1; a class without any value counts as a share of 1.
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
