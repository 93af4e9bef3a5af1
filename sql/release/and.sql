-- A column after another one.
--
-- column  the column
, {column}
