-- Number of rows of a release in another database with changed cells.
--
-- same  one #same per column with another type there
-- rows  the rows read back
--
-- One row.
select count(*) as altered
from {rows}
where not ({same})

-- section: same
-- Condition for a cell equal to the sent one: its value in the type of the release, and back, is itself.
--
-- cell  the cell, as it was read
-- type  its type in the release
-- read  its type there
cast(try_cast({cell} as {type}) as {read}) is not distinct from {cell}
