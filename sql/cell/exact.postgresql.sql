-- A cell as it reads, byte by byte. The text of a type of PostgreSQL's own tells all: the scale of a numeric, the parts
-- of an interval, the last digit of a float.
--
-- cell  the cell
cast({cell} as text) collate "C"
