-- Whether a seeker takes its nearest class whole, not a stub of it: two classes of the size would not be left
-- (Definition 14).
--
-- k  the smallest allowed class
seeker.frequency + other.frequency - {k} < {k}
