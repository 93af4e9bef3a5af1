-- The classes formed of pieces.
--
-- columns  one search/kaca/classes#any per column of a class, one privacy/aggregates#merged per carried sensitive
--          attribute
-- pieces   the pieces of changed classes (search/kaca/pieces or search/kaca/raised)
--
-- One row per class. sum(frequency) is the number of rows of the pieces.
select
    target as id,
    {columns},
    cast(sum(upper - lower) as bigint) as frequency
from {pieces}
group by target
