-- The character sets of texts. No row is read.
--
-- charsets  one #charset per column
-- rows      the statement that yields the texts
--
-- One row.
select
    {charsets}
from (
    {rows}
) as described
where false

-- section: charset
-- The character set of a column.
--
-- column  the column
charset(max({column}))

-- section: converted
-- Number of texts changed by a conversion to Unicode and back: some different texts become equal, or a question mark.
--
-- column   the column of the texts
-- charset  the character set of the column
-- rows     the statement with the rows
--
-- One row.
select count(*) as altered
from (
    {rows}
) as described
where cast(convert(convert({column} using utf8mb4) using {charset}) as binary) <> cast({column} as binary)
