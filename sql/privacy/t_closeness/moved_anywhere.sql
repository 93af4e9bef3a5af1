-- What moves between a class and the table, where all values are as far from each other.
--
-- counted  privacy/t_closeness/recount
--
-- One row per class: its rows, those of the table, and what moves, times both.
select
    any_value(size) as size,
    any_value(whole) as whole,
    sum(greatest(cast(rows as hugeint) * whole - cast(total as hugeint) * size, 0)) as moved
from {counted}
group by class
