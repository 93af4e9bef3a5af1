-- A part of the rows of a table, always the same.
--
-- $share  one of so many
-- rows    the table
-- key     what a row goes by: its place, or whose it is, where all rows of one are in the part or none
--
-- One row per row of the part.
select *
from {rows}
where hash({key}) % $share = 0

-- section: once
-- The same with one row of each person, the first.
--
-- $share  one of so many
-- rows    the table
-- key     whose a row is
--
-- One row per person of the part.
select *
from {rows}
where hash({key}) % $share = 0
qualify row_number() over (partition by {key} order by rowid) = 1
