-- A cell's text: the text of a floating-point number is unique, that of a moment is in UTC. Byte by byte, whatever its
-- column's collation.
--
-- cell  the cell
cast(cast({cell} as string) as binary)

-- section: binary
-- Bytes, unchanged.
--
-- cell  the cell
{cell}
