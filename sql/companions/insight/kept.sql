-- Number of distinct values of each kept (not generalized) column of a release.
--
-- distinct  one #values, #of_part or #estimate per column
-- release   the release, or a sample of its rows
--
-- One row.
select {distinct}
from {release} as relation

-- section: values
-- Exact number of distinct values of a column.
--
-- column  the column
count(distinct {column})

-- section: of_part
-- Number of a column's distinct values in one of several parts. All rows with the same value are in the same part.
--
-- column  the column
-- parts   the number of parts, 1 or more
count(distinct case when hash({column}) % {parts} = 0 then {column} end)

-- section: estimate
-- Estimated number of distinct values of a column, with an error of some percent.
--
-- column  the column
approx_count_distinct({column})
