-- The tuples of the base frequency set, numbered, each with the equivalence class it starts in.
--
-- codes    the leaf columns of the star, as code_1, code_2, …
-- nodes    the tuple's values after global recoding, as node_1, node_2, …
-- values   their ancestors, as value_<attribute>_<level>; missing below their own level
-- climbed  how far they are from the leaves
-- leaves   code_1, code_2, …
-- class    node_1, node_2, …
-- star     the star
--
-- One row per row of the star. sum(frequency) is that of the star.
select
    row_number() over (order by {leaves}) as tuple,
    dense_rank() over (order by {class}) as class,
    *
from (
    select
        {codes},
        {nodes},
        {values},
        cast({climbed} as bigint) as climbed,
        cast(frequency as bigint) as frequency
    from {star}
)
