-- How many rows of each class of a QID have which value of a sensitive attribute. A missing value is a value.
--
-- sensitive  the sensitive attribute
-- classes    classes over more columns: value_1, value_2, …, size
-- values     those of the QID
--
-- One row per class and value: the class's number, its rows, those of the table, the value as text, its rows here and
-- everywhere.
select
    dense_rank() over (order by {values}) as class,
    cast({sensitive} as varchar) as text,
    cast(sum(size) as bigint) as rows,
    sum(sum(size)) over (partition by {values}) as size,
    sum(sum(size)) over (partition by {sensitive}) as total,
    sum(sum(size)) over () as whole
from {classes}
group by
    {values},
    {sensitive}
