-- section: binary
-- A text column without its collation, so that it groups and joins byte by byte; without the padding of char(n), too.
--
-- column  the column
cast({column} as text) collate "C"

-- section: padded
-- A column of character without a length as text, byte by byte: every reader sees its spaces at the end, and a cast
-- would drop them, as a comparison does.
--
-- column  the column
pg_catalog.textin(pg_catalog.bpcharout({column})) collate "C"
