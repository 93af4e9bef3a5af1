-- Two cells are equal; the missing value is equal to itself.
--
-- one    a column
-- other  another one, of the same type
{one} is {other}
