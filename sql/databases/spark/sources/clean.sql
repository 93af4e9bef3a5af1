-- section: trim
-- A text without the spaces at its ends.
--
-- value   the text
-- spaces  the characters that are spaces
trim(both {spaces} from {value})

-- section: text
-- A cell as text, to join it with others.
--
-- value  the cell
cast({value} as string)

-- section: number
-- True if a text is a number.
--
-- value    the text
-- decimal  the decimal mark
{value} rlike ('^-?[0-9]+([' || {decimal} || '][0-9]+)?\\z')

-- section: grouped
-- True if a text is a number, possibly with marks between its thousands.
--
-- value      the text
-- thousands  the mark between thousands
-- decimal    the decimal mark
{value} rlike (
    '^-?([0-9]+|[1-9][0-9]?[0-9]?([' || {thousands} || '][0-9][0-9][0-9])+)([' || {decimal} || '][0-9]+)?\\z'
)
