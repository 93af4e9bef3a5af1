-- The release for a data frame in its user's form: every row with the kept cells of its source row.
--
-- columns   the released columns, in the source's order
-- release   the release, with the numbers of its source rows
-- source    the source
-- position  the number of a row
--
-- One row per row of the release, if each takes one of the source.
select
    {columns}
from {release} as released
join {source} as source
    on source.{position} = released.{position}
