-- section: trim
-- A text without the spaces at its ends.
--
-- value   the text
-- spaces  the characters that are spaces
btrim({value}, {spaces})

-- section: number
-- Whether a text is a number.
--
-- value    the text
-- decimal  what stands before decimals
{value} ~ ('^-?[0-9]+([' || {decimal} || '][0-9]+)?$')

-- section: grouped
-- Whether a text is a number, whose thousands may have marks between them.
--
-- value      the text
-- thousands  what stands between thousands
-- decimal    what stands before decimals
{value} ~ (
    '^-?([0-9]+|[1-9][0-9]?[0-9]?([' || {thousands} || '][0-9][0-9][0-9])+)([' || {decimal} || '][0-9]+)?$'
)

-- section: read
-- The number that a text is.
--
-- value  the text
cast({value} as numeric)

-- section: nan
-- Whether a number is NaN.
--
-- value  the number
{value} = 'NaN'

-- section: infinity
-- The number above all others, of the type of what it is compared with.
'Infinity'

-- section: minus_infinity
-- The number below all others, of the type of what it is compared with.
'-Infinity'
