-- A cell, byte by byte: neither collations nor padding make two of them one. Its hash, as longer texts are grouped by
-- their beginnings, and what a function makes of one that nears max_allowed_packet is missing.
--
-- cell  the cell
sha2({cell}, 256)
