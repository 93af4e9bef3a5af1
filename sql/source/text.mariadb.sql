-- A column as text, whatever its type: a geometry cannot be cast to one.
--
-- column  the column
hex({column})
