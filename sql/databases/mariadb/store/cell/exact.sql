-- A cell, byte by byte: neither collations nor padding merge two of them. It is hashed, because longer texts are
-- grouped by their beginnings, and a function's result near max_allowed_packet is missing.
--
-- cell  the cell
sha2({cell}, 256)

-- section: float
-- A floating-point number, exactly: the text of a single-precision number has six digits, and that of a float(9, 2) two
-- decimals. There is no negative zero.
--
-- cell  the cell
sha2(cast({cell} as double), 256)
