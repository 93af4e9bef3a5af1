-- Checksum of the kept cells of some rows, in any order of rows: a sum of 32-bit hashes. A sum of larger ones would
-- overflow, with an error.
--
-- cells  the hash of a row's kept cells: #cell or #cells of the last one
sum(shiftright({cells}, 32))

-- section: cell
-- The hash of a cell and of all preceding cells of the row. Spark's hash skips missing values, so the presence of the
-- cell comes first.
--
-- before  the hash of the preceding cells; 0 for the first cell
-- cell    the cell's exact value (store/cell/exact)
xxhash64({before}, {cell} is null, {cell})

-- section: cells
-- The hash of several cells and of all preceding cells, for rows with many cells: with several cells per call, calls
-- are nested no deeper than databases permit. The hash skips missing values, but this text contains them.
--
-- before  the hash of the preceding cells; 0 for the first cells
-- cells   the cells' exact values (store/cell/exact)
xxhash64({before}, to_json(array({cells})))
