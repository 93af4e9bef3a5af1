-- Checksum of the kept cells of some rows, in any order of rows: a sum of 32-bit hashes.
--
-- cells  #cell of the last of a row's kept cells
cast(sum(crc32({cells})) as signed)

-- section: cell
-- A cell after others: a hash of them all. The prefix before the cell distinguishes a missing one from an empty one.
--
-- before  the hash of those before it; 0 for the first
-- cell    the cell, as store/cell/exact has it
sha2(concat({before}, coalesce({cell}, '-')), 256)

-- section: cells
-- Cells after others, for rows with many cells: a hash of them all. One call takes several, so that calls are never
-- nested deeper than a database allows. A missing cell differs from all others.
--
-- before  the hash of those before them; 0 for the first
-- cells   the cells, as store/cell/exact has them
sha2(concat({before}, json_array({cells})), 256)
