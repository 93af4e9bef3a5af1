-- Checksum of the kept cells of some rows, independent of the rows' order: the sum of the rows' hashes. The hash of
-- several cells mixes the last cell too little for a sum, so it is hashed again.
--
-- cells  the hash of a row's kept cells: #cell or #cells of the last one
cast(sum(hash({cells})) as hugeint)

-- section: cell
-- The hash of a cell and of all preceding cells of the row.
--
-- before  the hash of the preceding cells; 0 for the first cell
-- cell    the cell's exact value (store/cell/exact)
hash({before}, {cell})

-- section: cells
-- The hash of several cells and of all preceding cells, for rows with many cells: with several cells per call, calls
-- are nested no deeper than databases permit.
--
-- before  the hash of the preceding cells; 0 for the first cells
-- cells   the cells' exact values (store/cell/exact)
hash({before}, {cells})
