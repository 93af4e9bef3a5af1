-- Members of a hierarchy of numbers with * as the only level above the leaf. The column number orders the leaves.
--
-- levels   hierarchy/top, as level_1
-- numbers  hierarchy/numbers
--
-- One row per number, and one for the missing value.
select
    true as present,
    value,
    number,
    cast(value as varchar) as level_0,
    {levels}
from (
    {numbers}
)
