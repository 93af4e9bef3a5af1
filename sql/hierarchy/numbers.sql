-- The values of a column as numbers: exact decimals, so that no value is rounded into another.
--
-- domain  the attribute's values
--
-- One row per value that is a number of at most 18 decimals, since the cast would round others, and one for the missing
-- value, whose number is missing.
select
    value,
    number
from (
    select
        value,
        cast(value as varchar) as digits,
        try_cast(cast(value as varchar) as decimal(38, 18)) as number
    from {domain}
)
where (
        number is not null
        and length(regexp_extract(digits, '\.([0-9]*)', 1))
            - coalesce(try_cast(regexp_extract(lower(digits), 'e([-+]?[0-9]+)', 1) as integer), 0) <= 18
    )
    or value is null
