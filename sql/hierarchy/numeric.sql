-- One step: every number to *. Its number goes with it, to order the leaves by.
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
