-- The release for a data frame as its user will have it: every row with the kept cells of the row that it takes.
--
-- columns   the released columns, in the source's order
-- release   the release, which numbers the rows that it takes
-- source    the source
-- position  the number of a row
--
-- One row per row of the release, if each takes one of the source.
select
    {columns}
from {release} as released
join {source} as source
    on source.{position} = released.{position}
