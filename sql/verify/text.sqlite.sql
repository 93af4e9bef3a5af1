-- A cell as a recipient reads it, byte by byte.
--
-- column  the column
cast({column} as text) collate binary
