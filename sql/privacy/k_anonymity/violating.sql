-- Check of a table as it stands for k-anonymity.
--
-- $k     the smallest allowed class
-- sizes  the sizes of its classes, such as those of privacy/k_anonymity/regrouped
--
-- One row: its classes, rows and smallest class; how many classes have fewer than k rows, and how many rows those have.
select
    count(*) as classes,
    cast(coalesce(sum(size), 0) as bigint) as rows,
    min(size) as smallest,
    count(*) filter (where size < $k) as violating_classes,
    cast(coalesce(sum(size) filter (where size < $k), 0) as bigint) as violating_rows
from (
    {sizes}
)
