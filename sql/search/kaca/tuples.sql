-- The tuples of the base frequency set (distinct combinations of leaves), numbered, with the initial equivalence class
-- of each tuple.
--
-- codes    the leaf columns of the star, as code_1, code_2, …
-- levels   the levels of global recoding, as level_1, level_2, …
-- values   the numbers of the values at these levels, and carried columns
-- climbed  the distance of these values from the leaves
-- leaves   code_1, code_2, …
-- class    value_1, value_2, …
-- star     the star: the base frequency set with codes in place of values
-- joins    one star/recoding/single_dimension#member per attribute
--
-- One row per row of the star. sum(frequency) equals the sum over the star.
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
-- The number of rows of each tuple in each class. At the start, all rows of a tuple are in one class.
--
-- tuples  search/kaca/tuples
--
-- One row per tuple and class. sum(frequency) equals the sum over the tuples.
select
    tuple,
    class,
    frequency
from {tuples}
