-- section: lower
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

-- section: upper
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

-- section: number
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

-- section: read
-- The number that a text is.
--
-- value  the text
cast({value} as real)

-- section: nan
-- Whether a number is NaN: SQLite keeps no such one.
--
-- value  the number
{value} is null

-- section: infinity
-- The number above all others.
9e999

-- section: minus_infinity
-- The number below all others.
-9e999
