-- A generalized text of the release, in its grouped form: byte by byte, whatever the table's collation; trailing spaces
-- count.
--
-- column  the column
convert({column} using utf8mb4) collate utf8mb4_nopad_bin
