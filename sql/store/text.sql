-- A column as text.
--
-- column  the column
cast({column} as varchar)

-- section: binary
-- A text column without its collation: groups and joins compare its bytes.
--
-- column  the column
decode(encode({column}))

-- section: folded
-- A text normalized for comparison: in small letters, without accents, full-width characters, invisible characters
-- (such as a zero-width space) and spaces at its ends, with single spaces, in Unicode's form NFC.
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
