-- The tuples of the star (distinct combinations of leaves) with their numbers of rows, sorted by their codes.
--
-- values  the leaf columns of the star, as code_1, code_2, …, and carried columns of sensitive attributes
-- order   code_1, code_2, …
-- star    the star: the base frequency set with codes in place of values
--
-- One row per row of the star. The order does not depend on the way the star was built.
select
    {values},
    frequency
from {star}
order by {order}
