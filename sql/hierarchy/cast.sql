-- A column as text, with no collation of its own, so that texts compare byte by byte.
--
-- column  the column
decode(encode(cast({column} as varchar)))
