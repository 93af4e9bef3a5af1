-- What tells the kept cells of some rows from others, in whatever order the rows come: a sum of 32-bit hashes.
-- A sum of larger numbers is one without bounds, whose states take so much memory that one process does all the work.
--
-- cells  fingerprint/cell of the last of a row's kept cells
sum(cast({cells} >> 32 as integer))
