-- How much farther from the leaves the closest common generalization of one attribute is, now that a finer node tells
-- where a seeker and a block of classes meet. By the node above alone it may be where the seeker is.
--
-- climbed  how far that is from the leaves
-- own      how far the seeker's value is from the leaves
greatest({climbed} - {own}, 0)
