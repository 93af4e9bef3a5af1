-- A text, byte by byte, whatever collation its column has.
--
-- cell  the cell
encode({cell})
