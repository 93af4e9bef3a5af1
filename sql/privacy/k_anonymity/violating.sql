-- Check of a table for k-anonymity, without any generalization.
--
-- $k     the smallest allowed number of rows of a class
-- sizes  the number of rows of each class (size), such as privacy/k_anonymity/regrouped
--
-- One row: the number of classes, the number of rows, the rows of the smallest class, the number of classes with fewer
-- than k rows, and the number of rows in these classes.
select
    count(*) as classes,
    cast(coalesce(sum(size), 0) as bigint) as rows,
    min(size) as smallest,
    count(*) filter (where size < $k) as violating_classes,
    cast(coalesce(sum(size) filter (where size < $k), 0) as bigint) as violating_rows
from (
    {sizes}
)
