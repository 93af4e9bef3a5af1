-- A floating-point number, exactly: the text of one of single precision has six digits, and that of a float(9, 2) two
-- decimals. There is no negative zero.
--
-- cell  the cell
sha2(cast({cell} as double), 256)
