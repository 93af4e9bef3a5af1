-- Checksum of the kept cells of some rows, in any order of rows: a sum of 32-bit hashes.
--
-- cells  the hash of a row's kept cells: #cell or #cells of the last one
cast(sum(crc32({cells})) as signed)

-- section: cell
-- The hash of a cell and of all preceding cells of the row. The prefix before the cell distinguishes a missing one from
-- an empty one.
--
-- before  the hash of the preceding cells; 0 for the first cell
-- cell    the cell's exact value (store/cell/exact)
sha2(concat({before}, coalesce({cell}, '-')), 256)

-- section: cells
-- The hash of several cells and of all preceding cells, for rows with many cells: with several cells per call, calls
-- are nested no deeper than databases permit. A missing cell differs from all others.
--
-- before  the hash of the preceding cells; 0 for the first cells
-- cells   the cells' exact values (store/cell/exact)
sha2(concat({before}, json_array({cells})), 256)
