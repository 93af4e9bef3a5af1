-- Condition for two equal cells; two missing values are equal.
--
-- one    a column
-- other  another column of the same type
{one} is {other}
