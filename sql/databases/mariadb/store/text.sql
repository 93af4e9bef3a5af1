-- A column as text, whatever its type: a geometry cannot be cast to one.
--
-- column  the column
hex({column})

-- section: binary
-- A text column without its collation, so that it groups and joins byte by byte; trailing spaces count.
--
-- column  the column
convert({column} using utf8mb4) collate utf8mb4_nopad_bin

-- section: whole
-- A column of bits as the unsigned whole number with these binary digits.
--
-- column  the column
cast({column} as unsigned)
