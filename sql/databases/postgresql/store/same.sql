-- Condition for equal cells; missing values are equal. It has two equalities, as is not distinct from cannot be hashed:
-- one on the presence of a value, one on its text, with an empty text for a missing value.
--
-- one    a column
-- other  another column of the same type
coalesce(cast({one} as text), '') = coalesce(cast({other} as text), '')
    and ({one} is null) = ({other} is null)
