-- A sample of a table's rows, one of $share parts by a hash of the key: each call returns the same rows.
--
-- $share  the number of parts
-- rows    the table
-- key     the key of a row: its place, or its person, if all rows of a person must be in the part or none
--
-- One row per row of the part.
select *
from {rows}
where hash({key}) % $share = 0

-- section: once
-- A sample of a table's persons, one of $share parts by a hash of the person, with the first row of each person.
--
-- $share  the number of parts
-- rows    the table
-- key     the person of a row
--
-- One row per person of the part.
select *
from {rows}
where hash({key}) % $share = 0
qualify row_number() over (partition by {key} order by rowid) = 1
