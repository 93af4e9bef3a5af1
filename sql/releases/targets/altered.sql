-- Number of rows of a release with cells changed by the database to which they were sent.
--
-- same  one #same per column with another type there
-- rows  the rows read back
--
-- One row.
select count(*) as altered
from {rows}
where not ({same})

-- section: same
-- Condition: a cell read back stays the same if it is cast to its type in the release and back. Otherwise the database
-- has changed the cell.
--
-- cell  the cell, as it was read
-- type  its type in the release
-- read  its type there
cast(try_cast({cell} as {type}) as {read}) is not distinct from {cell}
