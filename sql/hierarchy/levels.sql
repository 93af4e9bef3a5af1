-- Numbers of values with more than one parent, one column per level of a hierarchy, and the number of values of the
-- last level.
--
-- counts  one #count per level
--
-- One row.
select
    {counts}

-- section: count
-- The number counted by another statement, as a column of one row.
--
-- counted  hierarchy/problems#two_parents, hierarchy/problems#tops or hierarchy/problems#no_top
(
    {counted}
)
