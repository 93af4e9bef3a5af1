-- Fingerprint of a source's rows for a script, in any order of rows: the sum of 64 bits of each row's SHA-256.
--
-- cells  one #cell per column
coalesce(sum(cast(conv(left(sha2(json_array({cells}), 256), 16), 16, 10) as unsigned)), 0)

-- section: cell
-- A cell of the list of a row's cells. A missing cell differs from all others.
--
-- cell  the cell's exact value (store/cell/exact)
{cell}
