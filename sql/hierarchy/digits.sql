-- Texts of one length with one character less per level, then *.
--
-- $digits   the length
-- levels   one #masked per character lost but the last, and hierarchy/top, as level_1, level_2, …
-- text      #text or #number: the value as a text
-- domain    the attribute's values
--
-- One row per value of that length, and one for the missing value, which stays missing until the top.
select
    true as present,
    value,
    cast(value as varchar) as level_0,
    {levels}
from (
    select
        value,
        {text} as digits
    from {domain}
)
where length(digits) = $digits
    or value is null

-- section: masked
-- A text without its last characters, a star for each.
--
-- lost  the number of characters lost
left(digits, -{lost}) || repeat('*', {lost})

-- section: number
-- A whole number, filled up with zeros; lpad would cut a longer one, and a negative one has no digits to lose. A number
-- of a type with decimals, as of a column with gaps, is whole if it has none.
--
-- $digits  the length
case
    when value >= 0 and value = trunc(value) and length(cast(try_cast(value as hugeint) as varchar)) <= $digits
    then lpad(cast(try_cast(value as hugeint) as varchar), $digits, '0')
end

-- section: text
-- A text, unchanged.
value
