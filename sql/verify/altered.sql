-- How many rows of a release in another database have cells that were not sent.
--
-- same  one verify/same per column whose type is another one there
-- rows  the rows that were read back
--
-- One row.
select count(*) as altered
from {rows}
where not ({same})
