-- That a value group has too few rows.
--
-- k  the smallest allowed class
frequency < {k}
