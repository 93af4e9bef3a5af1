-- The values of a column as numbers: exact decimals, so that no value is rounded into another.
--
-- domain  the attribute's values
-- digits  #point or #comma: the value as a text with a decimal point
--
-- One row per number of at most 18 decimals, since the cast would round others, and one for the missing value, with a
-- missing number.
select
    value,
    number
from (
    select
        value,
        digits,
        try_cast(digits as decimal(38, 18)) as number
    from (
        select
            value,
            {digits} as digits
        from {domain}
    )
)
where (
        number is not null
        and length(regexp_extract(digits, '\.([0-9]*)', 1))
            - coalesce(try_cast(regexp_extract(lower(digits), 'e([-+]?[0-9]+)', 1) as integer), 0) <= 18
    )
    or value is null

-- section: point
-- A value as text, with its decimal point unchanged.
cast(value as varchar)

-- section: comma
-- A text with a decimal comma, rewritten with a point. A text with a point is missing: a comma there may separate
-- thousands.
case when not contains(value, '.') then replace(value, ',', '.') end
