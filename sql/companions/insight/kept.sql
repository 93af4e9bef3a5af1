-- Number of values of the kept columns of a release.
--
-- distinct  one #values, #of_part or #estimate per column
-- release   the release, or a part of it
--
-- One row.
select {distinct}
from {release} as relation

-- section: values
-- The values of a column.
--
-- column  the column
count(distinct {column})

-- section: of_part
-- The values of a column, those of one part of all. A part has all rows of a value, or none.
--
-- column  the column
-- parts   how many parts, 1 or more
count(distinct case when hash({column}) % {parts} = 0 then {column} end)

-- section: estimate
-- About how many values a column has: some percent more or less.
--
-- column  the column
approx_count_distinct({column})
