-- Checksum of the kept cells of some rows, in any order of rows: a sum of 32-bit hashes. A sum of larger numbers has no
-- bound, and its states take so much memory that one process does all the work.
--
-- cells  the hash of a row's kept cells: #cell or #cells of the last one
sum(cast({cells} >> 32 as integer))

-- section: cell
-- The hash of a cell and of all preceding cells of the row. For a missing cell, the hash of those before it changes.
--
-- before  the hash of the preceding cells; 0 for the first cell
-- cell    the cell's exact value (store/cell/exact)
hashtextextended(coalesce({cell}, ''), {before} # cast(cast({cell} is null as integer) as bigint))

-- section: cells
-- The hash of several cells and of all preceding cells, for rows with many cells: with several cells per call, calls
-- are nested no deeper than databases permit. The text of a row shows the end of each cell, and marks missing ones.
--
-- before  the hash of the preceding cells; 0 for the first cells
-- cells   the cells' exact values (store/cell/exact)
hashtextextended(cast(row({cells}) as text) collate "C", {before})
