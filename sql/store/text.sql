-- A column as text.
--
-- column  the column
cast({column} as varchar)

-- dialect: mariadb
-- A column as text, whatever its type: a geometry cannot be cast to one.
--
-- column  the column
hex({column})

-- section: binary
-- A text column without its collation, so that it groups and joins byte by byte.
--
-- column  the column
decode(encode({column}))

-- section: binary, dialect: mariadb
-- A text column without its collation, so that it groups and joins byte by byte; trailing spaces count.
--
-- column  the column
convert({column} using utf8mb4) collate utf8mb4_nopad_bin

-- section: binary, dialect: postgresql
-- A text column without its collation, so that it groups and joins byte by byte; without the padding of char(n), too.
--
-- column  the column
cast({column} as text) collate "C"

-- section: padded, dialect: postgresql
-- A column of character without a length as text, byte by byte: its spaces at the end are told to every reader, and a
-- cast would drop them, as a comparison does.
--
-- column  the column
pg_catalog.textin(pg_catalog.bpcharout({column})) collate "C"

-- section: binary, dialect: sqlite
-- A text column without its collation, so that it groups and joins byte by byte.
--
-- column  the column
{column} collate binary

-- section: whole, dialect: mariadb
-- A column of bits as the number that they are.
--
-- column  the column
cast({column} as unsigned)

-- dialect: spark
-- A column as text.
--
-- column  the column
cast({column} as string)

-- section: binary, dialect: spark
-- A text column without its collation, so that it groups and joins byte by byte; one of char(n) with its padding. By
-- its bytes, as a cast to a collation would give the release's column one, too.
--
-- column  the column
cast(cast({column} as binary) as string)

-- section: folded
-- A text without case, accents, full width and what nobody sees (such as a zero-width space), and with single spaces
-- alone, none at its ends, in one form of Unicode.
--
-- column  the column
translate(
    strip_accents(
        nfc_normalize(
            lower(trim(regexp_replace(regexp_replace({column}, '[^\PC\s]+', '', 'g'), '[\s\pZ]+', ' ', 'g')))
        )
    ),
    '０１２３４５６７８９ａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ',
    '0123456789abcdefghijklmnopqrstuvwxyz'
)
