-- How many values of each level of a hierarchy have more than one value above them, and how many values the last has.
--
-- counts  one #count per level
--
-- One row.
select
    {counts}

-- section: count
-- What one of the statements counts.
--
-- counted  hierarchy/problems#two_parents or hierarchy/problems#tops
(
    {counted}
)
