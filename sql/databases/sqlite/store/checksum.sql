-- What tells the kept cells of some rows from others, in whatever order the rows come: a sum of 32-bit hashes.
--
-- cells  #cell of the last of a row's kept cells
sum({cells})

-- section: cell
-- A cell after others: a hash of them all. SQLite has none, so that the connection brings one.
--
-- before  the hash of those before it; 0 for the first
-- cell    the cell, as store/cell/exact has it
starcloak_hash({before}, {cell})

-- section: cells
-- Cells after others, where a row has many: a hash of them all. One call takes several, so that calls are never nested
-- deeper than a database takes.
--
-- before  the hash of those before them; 0 for the first
-- cells   the cells, as store/cell/exact has them
starcloak_hash({before}, {cells})
