-- Ranges of growing width, then *. Exact decimal arithmetic: no value falls between two ranges, nor into a wrong one.
--
-- levels  one hierarchy/range per width and hierarchy/top, as level_1, level_2, …
-- domain  the attribute's values
--
-- One row per value that is a number of at most 18 decimals, since the cast would round others, and one for the missing
-- value, which stays missing until the top.
select
    true as present,
    value,
    cast(value as varchar) as level_0,
    {levels}
from (
    select
        value,
        cast(value as varchar) as digits,
        try_cast(cast(value as varchar) as decimal(38, 18)) as number
    from {domain}
)
where (
        number is not null
        and length(regexp_extract(digits, '\.([0-9]*)', 1)) <= 18
        and (number <> 0 or not contains(lower(digits), 'e-'))
    )
    or value is null
