-- The half-open range that holds a number; it starts at a multiple of its width, also below zero.
--
-- width  a bind: the width
'[' || regexp_replace(
    cast(number - ((number % cast({width} as decimal(38, 10))) + {width}) % {width} as varchar), '\.?0+$', ''
) || ', ' || regexp_replace(
    cast(number - ((number % cast({width} as decimal(38, 10))) + {width}) % {width} + {width} as varchar), '\.?0+$', ''
) || ')'
