-- section: read
-- The ends of a range, from its text as a recipient reads them: [18, 25), < 18, >= 90, any number.
--
-- text  the text
try_cast(regexp_extract({text}, '^(\[|>= )(-?[0-9]+(\.[0-9]+)?)', 2) as decimal(38, 18)) as low,
try_cast(regexp_extract({text}, '(^< |, )(-?[0-9]+(\.[0-9]+)?)\)?$', 2) as decimal(38, 18)) as high,
case
    when {text} = 'any number' then true
    when regexp_full_match({text}, '< -?[0-9]+(\.[0-9]+)?') then high is not null
    when regexp_full_match({text}, '>= -?[0-9]+(\.[0-9]+)?') then low is not null
    else coalesce(regexp_full_match({text}, '\[-?[0-9]+(\.[0-9]+)?, -?[0-9]+(\.[0-9]+)?\)') and low < high, false)
end as is_range

-- section: allowed
-- Condition for a permitted end of a range. It must not reveal a number of the data: the end lies between two of the
-- attribute's numbers. It may equal the larger number only if no number fits between, as with the integers 36 and 37.
--
-- end    the end, missing for a range without this end
-- table  the attribute's dimension table
(
    {end} is null
    or exists (
        select 1
        from (
            select
                number,
                lag(number) over (order by number) as before,
                pow(10::double, -max(length(rtrim(split_part(cast(number as varchar), '.', 2), '0'))) over ()) as unit
            from {table}
        ) as neighbour
        where neighbour.before < {end}
            and neighbour.number >= {end}
            and (neighbour.number > {end} or neighbour.before >= {end} - cast(neighbour.unit as decimal(38, 18)))
    )
)

-- section: holds
-- Condition for a range containing a number.
--
-- number  the number
coalesce(is_range and {number} >= coalesce(low, {number}) and ({number} < high or high is null), false)

-- section: without_missing
-- The text of an interval, without the part for missing values.
--
-- text  the text of the interval
regexp_replace({text}, ' or missing$', '')
