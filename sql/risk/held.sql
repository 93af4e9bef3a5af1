-- The values of a sensitive attribute that each class has. A missing value is a value.
--
-- sensitive  the attribute
-- classes    classes over more columns: value_1, value_2, …, size
-- values     those of the quasi-identifier
--
-- One row per class and value: its rows, those of the class, those of the value in the whole table, and of the class
-- the place of the value from the most frequent and the rows from there on.
select
    *,
    cast(sum(held) over (partition by {values}) as bigint) as size,
    cast(sum(held) over (partition by sensitive) as bigint) as everywhere,
    row_number() over descending as place,
    cast(sum(held) over (descending rows between current row and unbounded following) as bigint) as rest
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
    order by held desc, sensitive
)
