-- The character sets of texts. No row is read.
--
-- charsets  one database/charset per column
-- rows      the statement
--
-- One row.
select
    {charsets}
from (
    {rows}
) as described
where false
