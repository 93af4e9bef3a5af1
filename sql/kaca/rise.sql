-- How much farther from the leaves the closest common generalization is, now that a finer node tells more.
--
-- now     kaca/at_least of this node
-- before  that of the node above
{now} - {before}
