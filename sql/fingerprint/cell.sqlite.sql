-- A cell after others: a hash of them all. SQLite has none, so that the connection brings one.
--
-- before  the hash of those before it; 0 for the first
-- cell    the cell, as cell/exact has it
starcloak_hash({before}, {cell})
