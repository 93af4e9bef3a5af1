-- A text column without its collation, so that it groups and joins byte by byte; trailing spaces count.
--
-- column  the column
convert({column} using utf8mb4) collate utf8mb4_nopad_bin
