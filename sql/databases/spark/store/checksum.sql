-- Checksum of the kept cells of some rows, in any order of rows: a sum of 32-bit hashes. A sum of larger ones would
-- overflow, with an error.
--
-- cells  #cell of the last of a row's kept cells
sum(shiftright({cells}, 32))

-- section: cell
-- A cell after others: a hash of them all. Spark's hash skips missing values, so the presence of the cell comes first.
--
-- before  the hash of those before it; 0 for the first
-- cell    the cell, as store/cell/exact has it
xxhash64({before}, {cell} is null, {cell})

-- section: cells
-- Cells after others, for rows with many cells: a hash of them all. One call takes several, so that calls are never
-- nested deeper than a database allows. The hash skips missing values, but this text contains them.
--
-- before  the hash of those before them; 0 for the first
-- cells   the cells, as store/cell/exact has them
xxhash64({before}, to_json(array({cells})))
