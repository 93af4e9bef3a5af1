-- How many values each attribute has in a frequency set (Sweeney 2002): those that only the population has are none.
--
-- values     the attributes: value_1, value_2, …
-- frequency  the frequency set of one node
--
-- One row.
select {values}
from {frequency}
where frequency > 0

-- section: values
-- How many values an attribute has.
--
-- value  its column
count(distinct {value})
