-- One part of a release (a sample), or the whole release, with 64-bit hashes in place of cells. Equal rows are in the
-- same part. A table of a million rows has two different rows with equal hashes once in 40 million tables.
--
-- values   one #hash per column, as value_1, value_2, …
-- release  the release
-- first    the columns that decide the part of a row
-- parts    the number of parts, 1 or more; 1 for the whole release
--
-- One row per row of the part, in the form of a class of size 1.
select
    {values},
    cast(1 as bigint) as size
from {release} as relation
where hash({first}) % {parts} = 0

-- section: hash
-- The hash of a cell. A missing value also has a hash.
--
-- column  the column
hash({column})

-- section: present
-- The hash of a cell, or NULL for a missing value, so that missing values are not counted.
--
-- value  the column of the part
nullif({value}, hash(null))
