-- Number of rows by class of a QID and value of a sensitive attribute. A missing value is a value.
--
-- sensitive   the sensitive attribute
-- classes     privacy/class_rows
-- values      the QID's columns of the classes
-- everywhere  the column with the row counts of the table to compare with: size, the release, or everywhere, the source
--
-- One row per class of the QID and value: number of the class, text of the value, rows with the value in the class
-- (rows), all rows of the class (class_rows), its rows counted by the model (size), rows with the value everywhere
-- (total), and all rows everywhere (whole).
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
