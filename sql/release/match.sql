-- Two cells are equal, of which none is missing.
--
-- one    a column
-- other  another one, of the same type
{one} = {other}
