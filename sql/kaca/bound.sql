-- No class of a block is nearer to a seeker than this. A class's distance (Definition 10) is the seeker's rows times
-- what they climb, plus the rows it gives, all or a stub (Definition 14), times what those climb; common is how far
-- the closest common generalization is from the leaves, at least.
--
-- $k  the smallest allowed class
frequency * (common - climbed) + least(least_frequency, $k - frequency) * greatest(common - most_climbed, 0)
