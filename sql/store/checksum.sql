-- Checksum of the kept cells of some rows, in any order of rows: a sum of hashes. The hash of several cells mixes the
-- last of them too little for a sum, so it is hashed again.
--
-- cells  #cell of the last of a row's kept cells
cast(sum(hash({cells})) as hugeint)

-- section: cell
-- A cell after others: a hash of them all.
--
-- before  the hash of those before it; 0 for the first
-- cell    the cell, as store/cell/exact has it
hash({before}, {cell})

-- section: cells
-- Cells after others, for rows with many cells: a hash of them all. One call takes several, so that calls are never
-- nested deeper than a database allows.
--
-- before  the hash of those before them; 0 for the first
-- cells   the cells, as store/cell/exact has them
hash({before}, {cells})
