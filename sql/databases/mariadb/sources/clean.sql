-- How many cells each rule of a job's cleaning changes, and how many it cannot read. The rows are made before
-- anything is compared: MariaDB reads a cell and what is made of it from one place of memory otherwise, and finds
-- them equal.
--
-- counts  one #changed or #unlike per column and rule
-- rows    the rows with what each rule makes of a cell: cell_1_0, cell_1_1, …
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
-- A text with small letters.
--
-- value  the text
lower({value})

-- section: upper
-- A text with large letters.
--
-- value  the text
upper({value})

-- section: number
-- Whether a text is a number.
--
-- value    the text
-- decimal  what stands before decimals
{value} regexp ('^-?[0-9]+([' || {decimal} || '][0-9]+)?\z')

-- section: grouped
-- Whether a text is a number, whose thousands may have marks between them.
--
-- value      the text
-- thousands  what stands between thousands
-- decimal    what stands before decimals
{value} regexp (
    '^-?([0-9]+|[1-9][0-9]?[0-9]?([' || {thousands} || '][0-9][0-9][0-9])+)([' || {decimal} || '][0-9]+)?\z'
)

-- section: read
-- The number that a text is.
--
-- value  the text
cast({value} as double)

-- section: nan
-- Whether a number is NaN: MariaDB has no such one.
--
-- value  the number
{value} is null

-- section: infinity
-- The number above all others: MariaDB has no such one.
null

-- section: minus_infinity
-- The number below all others: MariaDB has no such one.
null
