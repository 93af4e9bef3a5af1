-- Number of rows by class of a QID and value of a sensitive attribute. A missing value is a value.
--
-- sensitive   the sensitive attribute
-- classes     privacy/class_rows
-- values      those of the QID
-- everywhere  the rows compared with classes: size or, for rows of the source, everywhere
--
-- One row per class and value: the class's number, its counted rows, all its rows, those of the table, the value as
-- text, its rows here and everywhere.
select
    dense_rank() over (order by {values}) as class,
    cast({sensitive} as varchar) as text,
    cast(sum(size) as bigint) as rows,
    any_value(class_rows) as class_rows,
    sum(sum(size)) over (partition by {values}) as size,
    sum(sum({everywhere})) over (partition by {sensitive}) as total,
    sum(sum({everywhere})) over () as whole
from {classes}
group by
    {values},
    {sensitive}
