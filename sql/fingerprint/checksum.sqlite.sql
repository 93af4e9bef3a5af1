-- What tells the kept cells of some rows from others, in whatever order the rows come: a sum of 32-bit hashes.
--
-- cells  #cell of the last of a row's kept cells
sum({cells})

-- section: cell
-- A cell after others: a hash of them all. SQLite has none, so that the connection brings one.
--
-- before  the hash of those before it; 0 for the first
-- cell    the cell, as cell/exact has it
starcloak_hash({before}, {cell})
