-- A table of whole numbers, each column drawn by itself.
--
-- cells  one #cell per column
-- rows   how many rows
--
-- One row each.
select
    {cells}
from range({rows})

-- section: cell
-- A number from 0, the smaller the more frequent.
--
-- seed    decides the cells
-- column  the column's number
-- power   1: all are as frequent; the higher, the more the small ones are
-- values  how many numbers there are
cast(floor(pow(hash(range, {seed}, {column}) % 1000000 / 1000000.0, {power}) * {values}) as integer)
