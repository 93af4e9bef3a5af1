-- Number of rows with a value of each column, and number of different values.
--
-- counts  one #counts per column
-- rows    the rows of the source
--
-- One row.
select {counts}
from {rows} as origin

-- section: counts
-- Number of rows with a value of a column, and number of different values.
--
-- cell  store/cell/exact of the column
count({cell}), count(distinct {cell})
