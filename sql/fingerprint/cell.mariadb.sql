-- A cell after others: a hash of them all. What stands before the cell tells a missing one from an empty one.
--
-- before  the hash of those before it; 0 for the first
-- cell    the cell, as verify/text has it
md5(concat({before}, coalesce(concat('+', {cell}), '-')))
