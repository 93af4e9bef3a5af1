-- What tells the kept cells of some rows from others, in whatever order the rows come: a sum of 32-bit hashes.
--
-- cells  fingerprint/cell of the last of a row's kept cells
cast(sum(crc32({cells})) as signed)
