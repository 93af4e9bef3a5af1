-- For each column: number of rows with a value (not missing), and number of distinct values.
--
-- counts  one #counts per column
-- rows    the rows of the source
--
-- One row.
select {counts}
from {rows} as origin

-- section: counts
-- Number of rows with a value of one column, and number of its distinct values.
--
-- cell  store/cell/exact of the column
count({cell}), count(distinct {cell})
