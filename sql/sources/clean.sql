-- Number of cells changed by each cleaning rule of a job, and number of cells that are no number although a rule needs
-- one.
--
-- counts  one #changed, #empty and #unlike per column and rule
-- rows    the rows with each rule's form of a cell: cell_1_0, cell_1_1, …
--
-- One row.
select
    {counts}
from {rows} as origin

-- section: changed
-- Number of cells changed by a rule.
--
-- before  the cell before the rule
-- after   the cell after the rule
count(case when {before} is not null and ({after} is null or {after} <> {before}) then 1 end)

-- section: empty
-- Number of missing cells before a rule.
--
-- before  the cell before the rule
count(case when {before} is null then 1 end)

-- section: unlike
-- Number of cells that are no number.
--
-- number  #number or #grouped of the cell
count(case when not ({number}) then 1 end)

-- section: trim
-- A text without the spaces at its ends.
--
-- value   the text
-- spaces  the characters that are spaces
trim({value}, {spaces})

-- section: text
-- A cell as text, to join it with others.
--
-- value  the cell
cast({value} as varchar)

-- section: part
-- A part of a joined text. Quotes surround a part with a comma or a quote, as in CSV: otherwise different parts could
-- become one text.
--
-- text  #text
case
    when {text} like '%,%' or {text} like '%"%' then '"' || replace({text}, '"', '""') || '"'
    else {text}
end

-- section: missing
-- A cell, or NULL if the cell stands for a missing value.
--
-- value  the cell
-- cells  the cells meaning a missing value
case when {value} in ({cells}) then null else {value} end

-- section: lower
-- A text in lower case.
--
-- value  the text
-- large  the upper-case letters
-- small  the lower-case letters, in the same order
translate({value}, {large}, {small})

-- section: upper
-- A text in upper case.
--
-- value  the text
-- large  the upper-case letters, in the same order
-- small  the lower-case letters
translate({value}, {small}, {large})

-- section: map
-- A cell, or its replacement if the job declares one.
--
-- value  the cell
-- pairs  one #pair per replaced cell
case {value}
    {pairs}
    else {value}
end

-- section: pair
-- One branch of a CASE: the replacement of a cell.
--
-- one    the replaced cell
-- other  the replacement
when {one} then {other}

-- section: pad
-- A code with its leading zeros; a text with another character than a digit, and a longer code, unchanged.
--
-- value   the text
-- number  #number of the text
-- zeros   as many zeros as a code has digits
-- digits  the number of digits of a code
case
    when {number}
        and length(replace(replace({value}, '-', ''), '.', '')) = length({value})
        and length({value}) < {digits}
    then substr({zeros} || {value}, length({value}) + 1)
    else {value}
end

-- section: unit
-- A number without the unit behind it; another text unchanged.
--
-- value   the text
-- plain   the text without the unit and the spaces
-- number  #number or #grouped of plain
-- cells   one #with_unit per text between a number and its unit
case when {number} and {value} in ({cells}) then {plain} else {value} end

-- section: with_unit
-- The text of a number followed by a unit.
--
-- plain  the number
-- unit   the unit, with the spaces before it
{plain} || {unit}

-- section: replaced
-- A text with each occurrence of a mark replaced.
--
-- value  the text
-- mark   the mark
-- other  the replacement
replace({value}, {mark}, {other})

-- section: number
-- True if a text is a number.
--
-- value    the text
-- decimal  the decimal mark
regexp_full_match({value}, '-?[0-9]+([' || {decimal} || '][0-9]+)?')

-- section: grouped
-- True if a text is a number, possibly with marks between its thousands: groups of three digits, the first without a
-- zero in front.
--
-- value      the text
-- thousands  the mark between thousands
-- decimal    the decimal mark
regexp_full_match(
    {value},
    '-?([0-9]+|[1-9][0-9]?[0-9]?([' || {thousands} || '][0-9][0-9][0-9])+)([' || {decimal} || '][0-9]+)?'
)

-- section: numbers
-- A number with a point and without marks between its thousands; another text unchanged.
--
-- value   the text
-- number  #number or #grouped of the text
-- plain   the number with a point and without marks
case when {number} then {plain} else {value} end

-- section: valid
-- The text of a number, or NULL if the number is outside of the bounds; another text unchanged.
--
-- value   the text
-- number  #number of the text
-- within  one #least or #most per bound
case
    when not ({number}) then {value}
    when {within} then {value}
end

-- section: within
-- A number, or NULL if it is outside of the bounds.
--
-- value   the number
-- within  one #least or #most per bound
case when {within} then {value} end

-- section: least
-- True if a number is at least as large as a bound.
--
-- number  the number
-- bound   the bound
{number} >= {bound}

-- section: most
-- True if a number is at most as large as a bound.
--
-- number  the number
-- bound   the bound
{number} <= {bound}

-- section: read
-- The number in a text.
--
-- value  the text
try_cast({value} as double)

-- section: nan
-- True if a number is NaN: DuckDB finds NaN unequal to itself in some comparisons.
--
-- value  the number
isnan({value})

-- section: no_number
-- A number, or NULL if it is NaN.
--
-- value  the number
-- nan    #nan of the number
case when {nan} then null else {value} end

-- section: infinity
-- Positive infinity.
cast('Infinity' as double)

-- section: minus_infinity
-- Negative infinity.
cast('-Infinity' as double)
