-- Checksum of the kept cells of some rows, in any order of rows: a sum of 32-bit hashes. A sum of larger numbers has no
-- bound, and its states take so much memory that one process does all the work.
--
-- cells  #cell of the last of a row's kept cells
sum(cast({cells} >> 32 as integer))

-- section: cell
-- A cell after others: a hash of them all. For a missing cell, the hash of those before it changes.
--
-- before  the hash of those before it; 0 for the first
-- cell    the cell, as store/cell/exact has it
hashtextextended(coalesce({cell}, ''), {before} # cast(cast({cell} is null as integer) as bigint))

-- section: cells
-- Cells after others, for rows with many cells: a hash of them all. One call takes several, so that calls are never
-- nested deeper than a database allows. The text of a row shows the end of each cell, and marks missing ones.
--
-- before  the hash of those before them; 0 for the first
-- cells   the cells, as store/cell/exact has them
hashtextextended(cast(row({cells}) as text) collate "C", {before})
