-- How many values the kept columns of a release have.
--
-- distinct  one #values or #estimate per column
-- release   the release
--
-- One row.
select {distinct}
from {release} as relation

-- section: values
-- The values of a column, those of one part of all where there are several. A part has all rows of a value, or none.
--
-- column  the column
-- parts   how many parts, 1 or more
count(distinct case when hash({column}) % {parts} = 0 then {column} end)

-- section: estimate
-- About how many values a column has: some percent more or less.
--
-- column  the column
approx_count_distinct({column})

-- section: values, dialect: postgresql
-- The values of a column.
--
-- column  the column
count(distinct {column})

-- section: values, dialect: mariadb
-- The values of a column.
--
-- column  the column
count(distinct {column})

-- section: values, dialect: sqlite
-- The values of a column.
--
-- column  the column
count(distinct {column})

-- section: values, dialect: spark
-- The values of a column.
--
-- column  the column
count(distinct {column})
