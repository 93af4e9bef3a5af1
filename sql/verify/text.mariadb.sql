-- A cell as a recipient reads it, byte by byte.
--
-- column  the column
convert(cast({column} as char) using utf8mb4) collate utf8mb4_nopad_bin
