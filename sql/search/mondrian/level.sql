-- A level of an attribute, with the range of differences (exclusive or) of the paths of two leaves with their lowest
-- common ancestor at this level.
--
-- dimension  the attribute's position
-- level      the level
-- reach      the least difference of the leaves' paths
-- until      the greatest difference of the leaves' paths
-- above      the number of bits of a path for levels below the level
-- shift      the number of bits of a path for levels below its children
--
-- One row.
select
    {dimension} as dimension,
    {level} as level,
    cast({reach} as hugeint) as reach,
    cast({until} as hugeint) as until,
    cast({above} as integer) as above,
    cast({shift} as integer) as shift
