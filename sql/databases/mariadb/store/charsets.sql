-- The character sets of texts. No row is read.
--
-- charsets  one #charset per column
-- rows      the statement
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
-- How many texts are not themselves again after they were Unicode: some that differ become one, or a question mark.
--
-- column   their column
-- charset  its character set
-- rows     the statement that yields them
--
-- One row.
select count(*) as altered
from (
    {rows}
) as described
where cast(convert(convert({column} using utf8mb4) using {charset}) as binary) <> cast({column} as binary)
