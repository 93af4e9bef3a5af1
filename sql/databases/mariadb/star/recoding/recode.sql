-- section: shuffled
-- An order that nothing tells, least of all the source's order.
rand()

-- section: same
-- Two cells are equal; the missing value is equal to itself.
--
-- one    a column
-- other  another one, of the same type
{one} <=> {other}

-- section: found
-- A cell is equal to a key, or both are missing. Written like this it is looked up in the key's index: by <=> it would
-- be a hashed join, which loses what is missing.
--
-- one    the key
-- other  a column, of the same type
({one} = {other} or {one} is null and {other} is null)
