-- A cell, byte by byte: neither collations nor padding make two of them one. Its hash, as longer texts are grouped by
-- their beginnings, and what a function makes of one that nears max_allowed_packet is missing.
--
-- cell  the cell
sha2({cell}, 256)

-- section: float
-- A floating-point number, exactly: the text of one of single precision has six digits, and that of a float(9, 2) two
-- decimals. There is no negative zero.
--
-- cell  the cell
sha2(cast({cell} as double), 256)
