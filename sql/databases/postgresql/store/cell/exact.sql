-- A cell as it reads, byte by byte. The text of a type of PostgreSQL's own tells all: the scale of a numeric, the parts
-- of an interval, the last digit of a float.
--
-- cell  the cell
cast({cell} as text) collate "C"

-- section: output
-- A cell as it reads, byte by byte, of a type whose cast to text may be somebody's own and tell less: a row is written
-- by the functions that write the cells for every reader.
--
-- cell  the cell
cast(row({cell}) as text) collate "C"
