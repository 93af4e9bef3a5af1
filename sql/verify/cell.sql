-- A cell of the release as a recipient reads it, byte by byte.
--
-- column  the column
decode(encode(cast({column} as varchar)))
