-- No class of a block is nearer to a seeker than this; of a class it is the distance (Definition 10). That is the
-- seeker's rows times what they climb, plus the rows the class gives, all or a stub (Definition 14), times what those
-- climb; common is how far the closest common generalization is from the leaves, at least.
--
-- given  search/kaca/given, or search/kaca/given_whole where no class is split
frequency * (common - climbed) + {given} * greatest(common - most_climbed, 0)
