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
