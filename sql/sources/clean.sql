-- How many cells each rule of a job's cleaning changes, and how many it cannot read.
--
-- counts  one #changed or #unlike per column and rule
-- rows    the rows with what each rule makes of a cell: cell_1_0, cell_1_1, …
--
-- One row.
select
    {counts}
from {rows} as origin

-- dialect: mariadb
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

-- section: changed
-- How many cells a rule changes.
--
-- before  the cell before it
-- after   the cell after it
count(case when {before} is not null and ({after} is null or {after} <> {before}) then 1 end)

-- section: unlike
-- How many cells are no number.
--
-- number  #number or #grouped of the cell
count(case when not ({number}) then 1 end)

-- section: trim
-- A text without the spaces at its ends.
--
-- value   the text
-- spaces  the characters that are spaces
trim({value}, {spaces})

-- section: trim, dialect: postgresql
-- A text without the spaces at its ends.
--
-- value   the text
-- spaces  the characters that are spaces
btrim({value}, {spaces})

-- section: trim, dialect: mariadb
-- A text without the spaces at its ends.
--
-- value   the text
-- spaces  the characters that are spaces
regexp_replace({value}, '^[' || {spaces} || ']+|[' || {spaces} || ']+\z', '')

-- section: trim, dialect: spark
-- A text without the spaces at its ends.
--
-- value   the text
-- spaces  the characters that are spaces
trim(both {spaces} from {value})

-- section: missing
-- A cell, or nothing where it stands for a missing value.
--
-- value  the cell
-- cells  what stands for one
case when {value} in ({cells}) then null else {value} end

-- section: lower
-- A text with small letters.
--
-- value  the text
-- large  the letters that become small
-- small  their partners, in that order
translate({value}, {large}, {small})

-- section: upper
-- A text with large letters.
--
-- value  the text
-- large  the partners, in that order
-- small  the letters that become large
translate({value}, {small}, {large})

-- section: lower, dialect: mariadb
-- A text with small letters.
--
-- value  the text
lower({value})

-- section: upper, dialect: mariadb
-- A text with large letters.
--
-- value  the text
upper({value})

-- section: lower, dialect: sqlite
-- A text with small letters: SQLite's own function knows those of ASCII alone.
--
-- value  the text
-- large  the letters that become small
-- small  their partners, in that order
case
    when {value} glob '*[^ -~]*' then (
        with recursive folded (place, cell) as (
            select
                0,
                {value}
            union all
            select
                place + 1,
                replace(cell, substr({large}, place + 1, 1), substr({small}, place + 1, 1))
            from folded
            where place < length({large})
        )
        select cell
        from folded
        order by place desc
        limit 1
    )
    else lower({value})
end

-- section: upper, dialect: sqlite
-- A text with large letters: SQLite's own function knows those of ASCII alone.
--
-- value  the text
-- large  the partners, in that order
-- small  the letters that become large
case
    when {value} glob '*[^ -~]*' then (
        with recursive folded (place, cell) as (
            select
                0,
                {value}
            union all
            select
                place + 1,
                replace(cell, substr({small}, place + 1, 1), substr({large}, place + 1, 1))
            from folded
            where place < length({small})
        )
        select cell
        from folded
        order by place desc
        limit 1
    )
    else upper({value})
end

-- section: map
-- The cell in place of another one.
--
-- value  the cell
-- pairs  one #pair per cell that has another in its place
case {value}
    {pairs}
    else {value}
end

-- section: pair
-- The cell in place of another one.
--
-- one    the cell
-- other  what takes its place
when {one} then {other}

-- section: replaced
-- A text with a mark in place of another one.
--
-- value  the text
-- mark   the mark
-- other  what takes its place
replace({value}, {mark}, {other})

-- section: number
-- Whether a text is a number.
--
-- value    the text
-- decimal  what stands before decimals
regexp_full_match({value}, '-?[0-9]+([' || {decimal} || '][0-9]+)?')

-- section: number, dialect: postgresql
-- Whether a text is a number.
--
-- value    the text
-- decimal  what stands before decimals
{value} ~ ('^-?[0-9]+([' || {decimal} || '][0-9]+)?$')

-- section: number, dialect: mariadb
-- Whether a text is a number.
--
-- value    the text
-- decimal  what stands before decimals
{value} regexp ('^-?[0-9]+([' || {decimal} || '][0-9]+)?\z')

-- section: number, dialect: spark
-- Whether a text is a number.
--
-- value    the text
-- decimal  what stands before decimals
{value} rlike ('^-?[0-9]+([' || {decimal} || '][0-9]+)?\\z')

-- section: number, dialect: sqlite
-- Whether a text is a number.
--
-- value    the text
-- decimal  what stands before decimals
(
    {value} glob '*[0-9]'
    and ({value} glob '[0-9]*' or {value} glob '-[0-9]*')
    and substr({value}, 2) not glob '*[^0-9' || {decimal} || ']*'
    and {value} not glob '*' || {decimal} || '*' || {decimal} || '*'
)

-- section: grouped
-- Whether a text is a number, whose thousands may have marks between them: groups of three digits, the first without
-- a zero in front.
--
-- value      the text
-- thousands  what stands between thousands
-- decimal    what stands before decimals
regexp_full_match(
    {value},
    '-?([0-9]+|[1-9][0-9]?[0-9]?([' || {thousands} || '][0-9][0-9][0-9])+)([' || {decimal} || '][0-9]+)?'
)

-- section: grouped, dialect: postgresql
-- Whether a text is a number, whose thousands may have marks between them.
--
-- value      the text
-- thousands  what stands between thousands
-- decimal    what stands before decimals
{value} ~ (
    '^-?([0-9]+|[1-9][0-9]?[0-9]?([' || {thousands} || '][0-9][0-9][0-9])+)([' || {decimal} || '][0-9]+)?$'
)

-- section: grouped, dialect: mariadb
-- Whether a text is a number, whose thousands may have marks between them.
--
-- value      the text
-- thousands  what stands between thousands
-- decimal    what stands before decimals
{value} regexp (
    '^-?([0-9]+|[1-9][0-9]?[0-9]?([' || {thousands} || '][0-9][0-9][0-9])+)([' || {decimal} || '][0-9]+)?\z'
)

-- section: grouped, dialect: spark
-- Whether a text is a number, whose thousands may have marks between them.
--
-- value      the text
-- thousands  what stands between thousands
-- decimal    what stands before decimals
{value} rlike (
    '^-?([0-9]+|[1-9][0-9]?[0-9]?([' || {thousands} || '][0-9][0-9][0-9])+)([' || {decimal} || '][0-9]+)?\\z'
)

-- section: grouped, dialect: sqlite
-- Whether a text is a number, whose thousands may have marks between them: as it would be written with them.
--
-- value      the text
-- thousands  what stands between thousands
-- decimal    what stands before decimals
(
    {value} glob '*[0-9]'
    and ({value} glob '[0-9]*' or {value} glob '-[0-9]*')
    and substr(replace({value}, {thousands}, ''), 2) not glob '*[^0-9' || {decimal} || ']*'
    and {value} not glob '*' || {decimal} || '*' || {decimal} || '*'
    and (
        instr({value}, {thousands}) = 0
        or {value} = replace(printf('%,d', cast(replace({value}, {thousands}, '') as integer)), ',', {thousands})
        || case
            when instr({value}, {decimal}) = 0 then ''
            else substr(
                replace({value}, {thousands}, ''), instr(replace({value}, {thousands}, ''), {decimal})
            )
        end
    )
)

-- section: numbers
-- A number with a point and without marks between its thousands; another text as it is.
--
-- value   the text
-- number  #number or #grouped of it
-- plain   the number
case when {number} then {plain} else {value} end

-- section: valid
-- A number as a text, or nothing where it is not valid; another text as it is.
--
-- value   the text
-- number  #number of it
-- within  one #least or #most per bound
case
    when not ({number}) then {value}
    when {within} then {value}
end

-- section: within
-- A number, or nothing where it is not valid.
--
-- value   the number
-- within  one #least or #most per bound
case when {within} then {value} end

-- section: least
-- Whether a number is at least as large as a bound.
--
-- number  the number
-- bound   the bound
{number} >= {bound}

-- section: most
-- Whether a number is at most as large as a bound.
--
-- number  the number
-- bound   the bound
{number} <= {bound}

-- section: read
-- The number that a text is.
--
-- value  the text
try_cast({value} as double)

-- section: read, dialect: postgresql
-- The number that a text is.
--
-- value  the text
cast({value} as numeric)

-- section: read, dialect: mariadb
-- The number that a text is.
--
-- value  the text
cast({value} as double)

-- section: read, dialect: sqlite
-- The number that a text is.
--
-- value  the text
cast({value} as real)

-- section: nan
-- Whether a number is NaN: DuckDB finds NaN unequal to itself in some comparisons.
--
-- value  the number
isnan({value})

-- section: nan, dialect: postgresql
-- Whether a number is NaN.
--
-- value  the number
{value} = 'NaN'

-- section: nan, dialect: mariadb
-- Whether a number is NaN: MariaDB has no such one.
--
-- value  the number
{value} is null

-- section: nan, dialect: sqlite
-- Whether a number is NaN: SQLite keeps no such one.
--
-- value  the number
{value} is null

-- section: no_number
-- A number, or nothing where it is NaN.
--
-- value  the number
-- nan    #nan of it
case when {nan} then null else {value} end

-- section: infinity
-- The number above all others.
cast('Infinity' as double)

-- section: infinity, dialect: postgresql
-- The number above all others, of the type of what it is compared with.
'Infinity'

-- section: infinity, dialect: mariadb
-- The number above all others: MariaDB has no such one.
null

-- section: infinity, dialect: sqlite
-- The number above all others.
9e999

-- section: minus_infinity
-- The number below all others.
cast('-Infinity' as double)

-- section: minus_infinity, dialect: postgresql
-- The number below all others, of the type of what it is compared with.
'-Infinity'

-- section: minus_infinity, dialect: mariadb
-- The number below all others: MariaDB has no such one.
null

-- section: minus_infinity, dialect: sqlite
-- The number below all others.
-9e999
