-- Ranges of growing width, then *. Exact decimal arithmetic: no value falls between two ranges, nor into a wrong one.
--
-- levels   one #range, #below or #above per width and hierarchy/top, as level_1, level_2, …
-- numbers  hierarchy/numbers
--
-- One row per number, and one for the missing value, which stays missing until the top.
select
    true as present,
    value,
    cast(value as varchar) as level_0,
    {levels}
from (
    {numbers}
)

-- section: low
-- The largest multiple of a width up to a number, also below zero, with at most 10 decimals. The low end of a range; of
-- numbers with about 20 digits, the text of an end may have more decimals than the width.
--
-- width  a bind: the width. Every use is cast, as one bind without a cast would turn the sum into binary fractions
cast(trunc(number) as decimal(38, 10)) + cast(
    number - trunc(number) - (number % cast({width} as decimal(38, 18)) + cast({width} as decimal(38, 18)))
        % cast({width} as decimal(38, 18))
    as decimal(38, 10)
)

-- section: high
-- The next multiple of a width.
--
-- low    #low
-- width  a bind: the width
{low} + cast({width} as decimal(38, 10))

-- section: from_below
-- The lower end of a range, raised to the bound below set in the job.
--
-- $below  the bound
-- low     #low
greatest({low}, cast($below as decimal(38, 10)))

-- section: up_to_above
-- The upper end of a range, lowered to the bound above set in the job.
--
-- $above  the bound
-- high    #high
least({high}, cast($above as decimal(38, 10)))

-- section: range
-- The half-open range of a number; greatest and least would give a missing number an end.
--
-- low   #low or #from_below
-- high  #high or #up_to_above
case
    when number is not null
    then '[' || regexp_replace(cast({low} as varchar), '\.?0+$', '') || ', '
        || regexp_replace(cast({high} as varchar), '\.?0+$', '') || ')'
end

-- section: below
-- The label of a number, the same for all numbers less than the bound below set in the job.
--
-- $below  the bound
-- range   #range
case when number < cast($below as decimal(38, 10)) then '< ' || $below else {range} end

-- section: above
-- The label of a number. All numbers from the job's setting `above` on have the same label.
--
-- $above  the bound
-- range   #range, or #below
case when number >= cast($above as decimal(38, 10)) then '>= ' || $above else {range} end
