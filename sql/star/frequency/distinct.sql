-- Number of values of each attribute in a frequency set (Sweeney 2002), without values of the population alone.
--
-- values     the attributes: value_1, value_2, …
-- frequency  the frequency set of one node
--
-- One row.
select {values}
from {frequency}
where frequency > 0

-- section: values
-- Number of values of an attribute.
--
-- value  its column
count(distinct {value})
