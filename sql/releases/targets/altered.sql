-- How many rows of a release in another database have cells that were not sent.
--
-- same  one #same per column whose type is another one there
-- rows  the rows that were read back
--
-- One row.
select count(*) as altered
from {rows}
where not ({same})

-- section: same
-- A cell that was read back is the one that was sent: its value in the type of the release, and back, is itself.
--
-- cell  the cell, as it was read
-- type  its type in the release
-- read  its type there
cast(try_cast({cell} as {type}) as {read}) is not distinct from {cell}
