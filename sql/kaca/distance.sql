-- The distance between a seeker and another class (Definition 10), or to the other's stub (Definition 14).
--
-- $k  the smallest allowed class
frequency * (common - climbed)
    + case when frequency + other_frequency < 2 * $k then other_frequency else $k - frequency end
    * (common - other_climbed)
