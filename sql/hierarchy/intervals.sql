-- Ranges of growing width, then *. Exact decimal arithmetic: no value falls between two ranges, nor into a wrong one.
--
-- levels   one hierarchy/range per width and hierarchy/top, as level_1, level_2, …
-- numbers  hierarchy/numbers
--
-- One row per number, and one for the missing value, which stays missing until the top.
select
    true as present,
    value,
    cast(value as varchar) as level_0,
    {levels}
from (
    {numbers}
)
