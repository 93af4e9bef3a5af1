-- Number of cells changed by each cleaning rule of a job, and number of cells that are no number although a rule needs
-- one. The rows are stored before the comparison: otherwise MariaDB may find a cell and its cleaned form equal, as both
-- are read from one place in memory.
--
-- counts  one #changed or #unlike per column and rule
-- rows    the rows with each rule's form of a cell: cell_1_0, cell_1_1, …
--
-- One row.
select
    {counts}
from (
    select *
    from {rows} as cells
    limit 9223372036854775807
) as origin

-- section: trim
-- A text without the spaces at its ends.
--
-- value   the text
-- spaces  the characters that are spaces
regexp_replace({value}, '^[' || {spaces} || ']+|[' || {spaces} || ']+\z', '')

-- section: lower
-- A text in lower case.
--
-- value  the text
lower({value})

-- section: upper
-- A text in upper case.
--
-- value  the text
upper({value})

-- section: text
-- A cell as text, to join it with others.
--
-- value  the cell
cast({value} as char)

-- section: number
-- True if a text is a number.
--
-- value    the text
-- decimal  the decimal mark
{value} regexp ('^-?[0-9]+([' || {decimal} || '][0-9]+)?\z')

-- section: grouped
-- True if a text is a number, possibly with marks between its thousands.
--
-- value      the text
-- thousands  the mark between thousands
-- decimal    the decimal mark
{value} regexp (
    '^-?([0-9]+|[1-9][0-9]?[0-9]?([' || {thousands} || '][0-9][0-9][0-9])+)([' || {decimal} || '][0-9]+)?\z'
)

-- section: read
-- The number in a text.
--
-- value  the text
cast({value} as double)

-- section: nan
-- True if a number is NaN: MariaDB has none.
--
-- value  the number
{value} is null

-- section: infinity
-- Infinity, the number above all others: null, as MariaDB has none.
null

-- section: minus_infinity
-- The number below all others: MariaDB has no such one.
null
