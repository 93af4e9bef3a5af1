-- Number of cells of a CSV release with one column that are written as blank lines, which readers skip.
--
-- column   the column
-- release  the statement that reads it back
--
-- One row. An empty text is not counted, because it is written as a pair of quotes.
select count(*) as blank
from (
    {release}
)
where {column} is null
    or ({column} <> '' and trim({column}, ' ' || chr(9)) = '')
