-- A column as text.
--
-- column  the column
cast({column} as string)

-- section: binary
-- A text column without its collation, so that it groups and joins byte by byte; one of char(n) with its padding. By
-- its bytes, as a cast to a collation would also give the release's column one.
--
-- column  the column
cast(cast({column} as binary) as string)
