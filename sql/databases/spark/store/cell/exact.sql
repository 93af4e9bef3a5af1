-- A cell as it reads: the text of a floating-point number is one that no other has, that of a moment is in UTC. Byte by
-- byte, whatever collation its column has.
--
-- cell  the cell
cast(cast({cell} as string) as binary)

-- section: binary
-- Bytes, as they are.
--
-- cell  the cell
{cell}
