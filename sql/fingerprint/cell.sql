-- A cell after others: a hash of them all.
--
-- before  the hash of those before it; 0 for the first
-- cell    the cell, as cell/exact has it
hash({before}, {cell})
