-- How many different values a staged column has, missing ones apart.
--
-- value    its column of the staged classes
-- classes  the staged classes
--
-- One row.
select count(distinct {value}) as present
from {classes}
