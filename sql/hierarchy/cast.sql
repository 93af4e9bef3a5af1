-- A column as text, byte by byte.
--
-- column  the column
decode(encode(cast({column} as varchar)))
