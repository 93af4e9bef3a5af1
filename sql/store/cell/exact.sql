-- A cell's text: in most types, two cells different to any reader have different texts.
--
-- cell  the cell
cast({cell} as varchar)

-- section: bits
-- The bits of a floating-point number: 0.0 and -0.0 are equal, but not alike.
--
-- cell  the cell
cast({cell} as bit)

-- section: bytes
-- A text, byte by byte, whatever collation its column has.
--
-- cell  the cell
encode({cell})
