-- Ranges of growing width, then *. Exact decimal arithmetic: no value falls between two ranges.
--
-- levels  one hierarchy/range per width and hierarchy/top, as level_1, level_2, …
-- domain  the attribute's values
--
-- One row per value that is a number, and one for the missing value, which stays missing until the top.
select
    true as present,
    value,
    cast(value as varchar) as level_0,
    {levels}
from (
    select
        value,
        try_cast(value as decimal(38, 10)) as number
    from {domain}
)
where number is not null
    or value is null
