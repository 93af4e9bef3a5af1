-- The final release of a data frame: every released row with the kept cells of its source row.
--
-- columns   the released columns, in the source's order
-- release   the release with the row numbers of the source in place of kept cells
-- source    the source
-- position  the column with the row number, in both relations
--
-- One row per row of the release, if each row number occurs once in the source.
select
    {columns}
from {release} as released
join {source} as source
    on source.{position} = released.{position}
