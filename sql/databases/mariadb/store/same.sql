-- Condition for two equal cells; two missing values are equal.
--
-- one    a column
-- other  another column of the same type
{one} <=> {other}

-- section: found
-- Condition for a cell equal to a key, or both missing. In this form it is looked up in the key's index: <=> would be a
-- hashed join, which loses missing values.
--
-- one    the key
-- other  a column, of the same type
({one} = {other} or {one} is null and {other} is null)
