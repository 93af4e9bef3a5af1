-- How many rows have a value of each column, and how many different ones these are.
--
-- counts  one #counts per column
-- rows    the rows of the source
--
-- One row.
select {counts}
from {rows} as origin

-- section: counts
-- How many rows have a value of a column, and how many different ones these are.
--
-- cell  store/cell/exact of the column
count({cell}), count(distinct {cell})
