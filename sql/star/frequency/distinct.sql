-- Number of distinct values of each attribute in a frequency set (Sweeney 2002). Values that occur in the population
-- alone, and in no row of the source, are not counted.
--
-- values     one #values per attribute: value_1, value_2, …
-- frequency  the frequency set of one node
--
-- One row.
select {values}
from {frequency}
where frequency > 0

-- section: values
-- Number of distinct values of an attribute.
--
-- value  the attribute's column
count(distinct {value})
