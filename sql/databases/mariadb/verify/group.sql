-- A generalized text of the release, as it is grouped: byte by byte, whatever the table says; trailing spaces count.
--
-- column  the column
convert({column} using utf8mb4) collate utf8mb4_nopad_bin
