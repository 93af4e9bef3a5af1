-- A column as text.
--
-- column  the column
cast({column} as varchar)

-- section: binary
-- A text column without its collation, so that it groups and joins byte by byte.
--
-- column  the column
decode(encode({column}))

-- section: folded
-- A text without case, accents, full width and invisible characters (such as a zero-width space), and with single
-- spaces alone, none at its ends, in one form of Unicode.
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
