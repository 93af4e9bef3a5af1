-- section: binary
-- A text column without its collation, so that it groups and joins byte by byte.
--
-- column  the column
{column} collate binary
