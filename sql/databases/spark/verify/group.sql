-- A generalized text of the release, as it is grouped: byte by byte, whatever the table says.
--
-- column  the column
cast({column} as string collate utf8_binary)
