-- section: trim
-- A text without the spaces at its ends.
--
-- value   the text
-- spaces  the characters that are spaces
btrim({value}, {spaces})

-- section: number
-- True if a text is a number.
--
-- value    the text
-- decimal  the decimal mark
{value} ~ ('^-?[0-9]+([' || {decimal} || '][0-9]+)?$')

-- section: grouped
-- True if a text is a number, possibly with marks between its thousands.
--
-- value      the text
-- thousands  the mark between thousands
-- decimal    the decimal mark
{value} ~ (
    '^-?([0-9]+|[1-9][0-9]?[0-9]?([' || {thousands} || '][0-9][0-9][0-9])+)([' || {decimal} || '][0-9]+)?$'
)

-- section: read
-- The number in a text.
--
-- value  the text
cast({value} as numeric)

-- section: nan
-- True if a number is NaN.
--
-- value  the number
{value} = 'NaN'

-- section: infinity
-- Positive infinity, in the type of the compared number.
'Infinity'

-- section: minus_infinity
-- Negative infinity, in the type of the compared number.
'-Infinity'
