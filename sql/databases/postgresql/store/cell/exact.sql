-- A cell's text, byte by byte. The text of a type of PostgreSQL's own is complete: the scale of a numeric, the parts of
-- an interval, the last digit of a float.
--
-- cell  the cell
cast({cell} as text) collate "C"

-- section: output
-- A cell's text, byte by byte, of a type with a possibly user-defined and incomplete cast to text: a row is written by
-- the functions that write the cells for every reader.
--
-- cell  the cell
cast(row({cell}) as text) collate "C"
