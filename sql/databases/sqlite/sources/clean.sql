-- section: lower
-- A text in lower case. SQLite's own function changes ASCII letters only.
--
-- value  the text
-- large  the upper-case letters
-- small  the lower-case letters, in the same order
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

-- section: upper
-- A text in upper case. SQLite's own function changes ASCII letters only.
--
-- value  the text
-- large  the upper-case letters, in the same order
-- small  the lower-case letters
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

-- section: number
-- True if a text is a number.
--
-- value    the text
-- decimal  the decimal mark
(
    {value} glob '*[0-9]'
    and ({value} glob '[0-9]*' or {value} glob '-[0-9]*')
    and substr({value}, 2) not glob '*[^0-9' || {decimal} || ']*'
    and {value} not glob '*' || {decimal} || '*' || {decimal} || '*'
)

-- section: grouped
-- True if a text is a number, possibly with marks between its thousands: in its form with these marks.
--
-- value      the text
-- thousands  the mark between thousands
-- decimal    the decimal mark
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

-- section: read
-- The number in a text.
--
-- value  the text
cast({value} as real)

-- section: nan
-- True if a number is NaN: SQLite keeps none.
--
-- value  the number
{value} is null

-- section: infinity
-- The number above all others.
9e999

-- section: minus_infinity
-- The number below all others.
-9e999
