-- The half-open range that holds a number; it starts at a multiple of its width, also below zero.
--
-- width  a bind: the width. Cast wherever it stands: one bare bind would turn the sum into binary fractions
'[' || regexp_replace(
    cast(
        number - (number % cast({width} as decimal(38, 18)) + cast({width} as decimal(38, 18)))
            % cast({width} as decimal(38, 18))
        as varchar
    ),
    '\.?0+$',
    ''
) || ', ' || regexp_replace(
    cast(
        number - (number % cast({width} as decimal(38, 18)) + cast({width} as decimal(38, 18)))
            % cast({width} as decimal(38, 18)) + cast({width} as decimal(38, 18))
        as varchar
    ),
    '\.?0+$',
    ''
) || ')'
