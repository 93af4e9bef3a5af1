-- The tuples of the base frequency set, numbered, each with the equivalence class it starts in.
--
-- codes    the leaf columns of the star, as code_1, code_2, …
-- levels   the levels of global recoding, as level_1, level_2, …
-- values   the numbers of the values there, and carried columns
-- climbed  how far these values are from the leaves
-- leaves   code_1, code_2, …
-- class    value_1, value_2, …
-- star     the star
-- joins    one star/recoding/single_dimension#member per attribute
--
-- One row per row of the star. sum(frequency) is that of the star.
select
    row_number() over (order by {leaves}) as tuple,
    dense_rank() over (order by {class}) as class,
    *
from (
    select
        {codes},
        {levels},
        {values},
        cast({climbed} as bigint) as climbed,
        cast(frequency as bigint) as frequency
    from {star}
    {joins}
)

-- section: shares
-- The share of each tuple's rows in each class; at the start a tuple is in one class.
--
-- tuples  search/kaca/tuples
--
-- One row per tuple and class. sum(frequency) is that of the tuples.
select
    tuple,
    class,
    frequency
from {tuples}
