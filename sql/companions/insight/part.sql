-- A part of a release, or all of it, by hashes of 64 bits of its cells: equal rows are in one part. Two of a million
-- rows are wrongly taken as equal once in 40 million tables.
--
-- values   one #hash per column, as value_1, value_2, …
-- release  the release
-- first    the columns that decide the part of a row
-- parts    how many parts there are, 1 or more
--
-- One row per row of the part: it counts as a class of one row.
select
    {values},
    cast(1 as bigint) as size
from {release} as relation
where hash({first}) % {parts} = 0

-- section: hash
-- A cell by its hash. A missing value has one, too.
--
-- column  the column
hash({column})

-- section: present
-- The hash of a value, missing for a missing value.
--
-- value  the column of the part
nullif({value}, hash(null))
