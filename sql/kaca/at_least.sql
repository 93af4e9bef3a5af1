-- How far the closest common generalization is from the leaves where only a block of classes is known: a seeker that
-- meets the block may meet a class in it where the seeker is.
--
-- own     how far the seeker's value is from the leaves
-- climbs  one kaca/climb per level that the block tells
greatest({own}, {climbs})
