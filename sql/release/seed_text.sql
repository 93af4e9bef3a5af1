-- A cell of a seed, as a part of a text that has no two readings.
--
-- column  the column
coalesce(strlen({column}) || {column}, '-')
