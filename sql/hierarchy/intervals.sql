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

-- section: range
-- The half-open range that holds a number; it starts at a multiple of its width, also below zero. A multiple has no
-- more decimals than its width, 10 at most: numbers of 20 digits have a range, whose ends may have more of them.
--
-- width  a bind: the width. Cast wherever it stands: one bare bind would turn the sum into binary fractions
'[' || regexp_replace(
    cast(
        cast(trunc(number) as decimal(38, 10)) + cast(
            number - trunc(number) - (number % cast({width} as decimal(38, 18)) + cast({width} as decimal(38, 18)))
                % cast({width} as decimal(38, 18))
            as decimal(38, 10)
        )
        as varchar
    ),
    '\.?0+$',
    ''
) || ', ' || regexp_replace(
    cast(
        cast(trunc(number) as decimal(38, 10)) + cast(
            number - trunc(number) - (number % cast({width} as decimal(38, 18)) + cast({width} as decimal(38, 18)))
                % cast({width} as decimal(38, 18))
            as decimal(38, 10)
        ) + cast({width} as decimal(38, 10))
        as varchar
    ),
    '\.?0+$',
    ''
) || ')'

-- section: below
-- What is less than the lower end is one value.
--
-- $below  the lower end
-- range   #range
case when number < cast($below as decimal(38, 10)) then '< ' || $below else {range} end

-- section: above
-- What is not less than the upper end is one value.
--
-- $above  the upper end
-- range   #range, or #below
case when number >= cast($above as decimal(38, 10)) then '>= ' || $above else {range} end
