-- Distinction and separation of some columns.
--
-- sizes  the sizes of the classes over them: privacy/k_anonymity/regrouped, or privacy/histories/recount#alike
--
-- One row: how many classes they have, and how many ordered pairs of rows are in one class.
select
    count(*) as classes,
    coalesce(sum(cast(size as hugeint) * (size - 1)), 0) as alike
from (
    {sizes}
)
