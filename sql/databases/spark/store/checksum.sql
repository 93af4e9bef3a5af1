-- What tells the kept cells of some rows from others, in whatever order the rows come: a sum of 32-bit hashes. A sum of
-- larger ones would be too large, which is an error.
--
-- cells  #cell of the last of a row's kept cells
sum(shiftright({cells}, 32))

-- section: cell
-- A cell after others: a hash of them all. Spark's skips what is missing, so that what is told first is whether it is.
--
-- before  the hash of those before it; 0 for the first
-- cell    the cell, as store/cell/exact has it
xxhash64({before}, {cell} is null, {cell})

-- section: cells
-- Cells after others, where a row has many: a hash of them all. One call takes several, so that calls are never nested
-- deeper than a database takes. Its hash skips what is missing, which this text does not.
--
-- before  the hash of those before them; 0 for the first
-- cells   the cells, as store/cell/exact has them
xxhash64({before}, to_json(array({cells})))
