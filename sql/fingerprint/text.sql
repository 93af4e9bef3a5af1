-- A cell of a type of which equal values may read differently, such as 0.0 and -0.0: itself, and how it reads.
--
-- column  the column
{column}, cast({column} as varchar)
