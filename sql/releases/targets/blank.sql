-- How many cells of a release with one column are lines that readers take for empty ones.
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
