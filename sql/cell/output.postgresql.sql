-- A cell as it reads, byte by byte, of a type whose cast to text may be somebody's own and tell less: a row is written
-- by the functions that write the cells for every reader.
--
-- cell  the cell
cast(row({cell}) as text) collate "C"
