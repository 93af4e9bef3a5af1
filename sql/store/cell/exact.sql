-- The text of a cell: for most types, two distinguishable cells have different texts.
--
-- cell  the cell
cast({cell} as varchar)

-- section: bits
-- The bits of a floating-point number: 0.0 and -0.0 are equal numbers with different bits.
--
-- cell  the cell
cast({cell} as bit)

-- section: bytes
-- The bytes of a text, independent of the column's collation.
--
-- cell  the cell
encode({cell})
