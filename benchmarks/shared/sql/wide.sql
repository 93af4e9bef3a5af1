-- A wide table of many kinds of columns.
--
-- cells  one section of this file per column
-- rows   how many rows
--
-- One row each.
select
    {cells}
from range({rows})

-- section: age
-- Whole numbers of a small spread.
--
-- seed    decides the cells
-- column  the column's number
hash(range, {seed}, {column}) % 90

-- section: occupation
-- Texts of which few are frequent.
--
-- seed    decides the cells
-- column  the column's number
'v' || cast(floor(pow(hash(range, {seed}, {column}) % 1000000 / 1000000.0, 4) * 60) as integer)

-- section: score
-- Numbers with two digits behind the point.
--
-- seed    decides the cells
-- column  the column's number
hash(range, {seed}, {column}) % 100000 / 100.0

-- section: zip
-- Codes of five digits.
--
-- seed    decides the cells
-- column  the column's number
lpad(cast(hash(range, {seed}, {column}) % 100000 as varchar), 5, '0')

-- section: day
-- Dates.
--
-- seed    decides the cells
-- column  the column's number
date '1930-01-01' + cast(hash(range, {seed}, {column}) % 30000 as integer)

-- section: color
-- Four values.
--
-- seed    decides the cells
-- column  the column's number
list_extract(['red', 'green', 'blue', 'black'], cast(1 + hash(range, {seed}, {column}) % 4 as bigint))

-- section: items
-- Whole numbers, of which some are missing.
--
-- seed    decides the cells
-- column  the column's number
case when hash(range, {seed}, {column}) % 20 > 0 then hash(range, {seed}, {column}) % 1000 end

-- section: seen
-- Times.
--
-- seed    decides the cells
-- column  the column's number
timestamp '2020-01-01' + to_seconds(cast(hash(range, {seed}, {column}) % 100000000 as bigint))

-- section: label
-- Texts that are nearly unique.
--
-- seed    decides the cells
-- column  the column's number
'name ' || hash(range, {seed}, {column}) % 800000

-- section: flag
-- True or false.
--
-- seed    decides the cells
-- column  the column's number
hash(range, {seed}, {column}) % 8 = 0
