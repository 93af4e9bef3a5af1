-- The bits of a floating-point number: 0.0 and -0.0 are equal, but not alike.
--
-- cell  the cell
cast({cell} as bit)
