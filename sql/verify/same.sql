-- A cell that was read back is the one that was sent: its value in the type of the release, and back, is itself.
--
-- cell  the cell, as it was read
-- type  its type in the release
-- read  its type there
cast(try_cast({cell} as {type}) as {read}) is not distinct from {cell}
