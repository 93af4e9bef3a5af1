-- How many values the kept columns of a release have.
--
-- distinct  one #values per column
-- release   the release
--
-- One row.
select {distinct}
from {release} as relation

-- section: values
-- The values of a column.
--
-- column  the column
count(distinct {column})
