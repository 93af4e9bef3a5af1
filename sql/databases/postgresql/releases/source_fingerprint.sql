-- Fingerprint of a source's rows for a script, in any order of rows: the sum of 64-bit hashes.
--
-- cells  one #cell per column
coalesce(sum(hashtextextended(cast(row({cells}) as text) collate "C", 0)), 0)

-- section: cell
-- A cell for the text of its row, which shows the end of each cell, and marks missing ones.
--
-- cell  the cell's exact value (store/cell/exact)
{cell}
