-- Number of values of each level of a hierarchy with more than one value above them, and number of values of the last
-- level.
--
-- counts  one #count per level
--
-- One row.
select
    {counts}

-- section: count
-- Count of one of the statements.
--
-- counted  hierarchy/problems#two_parents or hierarchy/problems#tops
(
    {counted}
)
