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

-- section: home
-- The same, from its classes in the working store.
--
-- classes  classes over these columns: size
select count(*) filter (where size = 1) as alone
from {classes}
