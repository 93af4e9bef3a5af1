-- Texts of one length that lose a character per level, then *.
--
-- $digits   the length
-- levels   one hierarchy/masked per character lost but the last, and hierarchy/top, as level_1, level_2, …
-- text      hierarchy/text or hierarchy/number: the value as a text
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
