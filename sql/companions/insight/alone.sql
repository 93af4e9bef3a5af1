-- Number of rows of a release that are unique by some columns, that is, share all of these cells with no other row.
--
-- release  the release, or a part of it with all or none of equal rows
-- names    the columns, in their grouped form
--
-- One row: the number of unique rows, the number of different combinations of cells, and the number of all rows.
select
    count(case when size = 1 then 1 end) as alone,
    count(*) as classes,
    coalesce(sum(size), 0) as everything
from (
    select count(*) as size
    from {release} as relation
    group by {names}
) as classes
