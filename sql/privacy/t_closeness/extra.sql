-- How much larger the share of some values is than that of the table, times the rows of both.
--
-- rows   how many rows have them
-- whole  the rows of the table
-- total  how many of those have them
(({rows}) * {whole} - frequency * {total})
