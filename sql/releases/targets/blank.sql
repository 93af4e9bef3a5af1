-- Number of a one-column release's cells that readers take for empty lines.
--
-- column   the column
-- release  the statement that reads it back
--
-- One row. An empty text is quoted.
select count(*) as blank
from (
    {release}
)
where {column} is null
    or ({column} <> '' and trim({column}, ' ' || chr(9)) = '')
