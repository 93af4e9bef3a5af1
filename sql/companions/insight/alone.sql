-- Number of rows of a release that are alone by some of its columns.
--
-- release  the release, or a part of it with all or none of equal rows
-- names    the columns, in their grouped form
--
-- One row: these, how many different ones there are by the columns, and all rows.
select
    count(case when size = 1 then 1 end) as alone,
    count(*) as classes,
    coalesce(sum(size), 0) as everything
from (
    select count(*) as size
    from {release} as relation
    group by {names}
) as classes
