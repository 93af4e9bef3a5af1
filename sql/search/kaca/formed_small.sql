-- That what an earlier step forms is small, so that a later one may choose it.
--
-- k  the smallest allowed class
earlier.frequency + earlier.upper - earlier.lower < {k}
