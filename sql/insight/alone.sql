-- How many rows of a release are alone by some of its columns.
--
-- release  the release
-- names    the columns, as they are grouped
--
-- One row.
select count(case when size = 1 then 1 end) as alone
from (
    select count(*) as size
    from {release} as relation
    group by {names}
) as classes

-- section: part
-- The same of one part of the release, which is in the working store: all rows that are alike are in one part. They are
-- found by a hash of 64 bits, by which two rows of a million are taken for alike once in 40 million tables.
--
-- release  the release
-- names    the columns, as they are grouped
-- parts    how many parts there are
--
-- One row.
select count(case when size = 1 then 1 end) as alone
from (
    select count(*) as size
    from {release} as relation
    where hash({names}) % {parts} = 0
    group by hash({names})
) as classes

-- section: home
-- The same, from its classes in the working store.
--
-- classes  classes over these columns: size
select count(*) filter (where size = 1) as alone
from {classes}
