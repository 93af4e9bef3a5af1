-- section: violated
-- That a script's release has a class of too few rows.
--
-- k  the smallest allowed class
coalesce(min(size), {k}) < {k}

-- section: violating
-- That a value group has too few rows.
--
-- k  the smallest allowed class
frequency < {k}
