-- section: trim
-- A text without the spaces at its ends.
--
-- value   the text
-- spaces  the characters that are spaces
trim(both {spaces} from {value})

-- section: number
-- Whether a text is a number.
--
-- value    the text
-- decimal  what stands before decimals
{value} rlike ('^-?[0-9]+([' || {decimal} || '][0-9]+)?\\z')

-- section: grouped
-- Whether a text is a number, whose thousands may have marks between them.
--
-- value      the text
-- thousands  what stands between thousands
-- decimal    what stands before decimals
{value} rlike (
    '^-?([0-9]+|[1-9][0-9]?[0-9]?([' || {thousands} || '][0-9][0-9][0-9])+)([' || {decimal} || '][0-9]+)?\\z'
)
