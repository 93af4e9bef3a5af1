-- A level of an attribute: the differences of paths for which its values, and none of those below, cover two leaves.
--
-- dimension  the attribute's position
-- level      the level
-- reach      the least difference of the leaves' paths
-- until      the upper limit of the difference
-- above      how many bits of a path lie below its values
-- shift      how many bits of a path lie below their children
--
-- One row.
select
    {dimension} as dimension,
    {level} as level,
    cast({reach} as hugeint) as reach,
    cast({until} as hugeint) as until,
    cast({above} as integer) as above,
    cast({shift} as integer) as shift
