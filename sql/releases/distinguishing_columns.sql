-- Counts for distinction (classes by rows) and separation (share of distinguished pairs of rows) of a set of columns.
--
-- sizes  the sizes of the classes over the columns: privacy/k_anonymity/regrouped, or privacy/histories/recount#alike
--
-- One row: the number of classes over the columns, and the number of ordered pairs of rows within a class.
select
    count(*) as classes,
    coalesce(sum(cast(size as hugeint) * (size - 1)), 0) as alike
from (
    {sizes}
)
