-- A column that all rows of a group share.
--
-- column  the column
any_value({column})
