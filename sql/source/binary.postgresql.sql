-- A text column without its collation, so that it groups and joins byte by byte; without the padding of char(n), too.
--
-- column  the column
cast({column} as text) collate "C"
