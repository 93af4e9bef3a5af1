-- How well some columns tell rows apart.
--
-- classes  classes over more columns: value_1, value_2, …, size
-- values   these columns of them
--
-- One row: how many classes they have, and how many ordered pairs of rows are in one class.
select
    count(*) as classes,
    coalesce(sum(cast(size as hugeint) * (size - 1)), 0) as alike
from (
    select cast(sum(size) as bigint) as size
    from {classes}
    group by {values}
)
