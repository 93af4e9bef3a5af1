-- Put the staged release where there is none.
--
-- staged  the staged release
-- table   its place
rename table {staged} to {table}
