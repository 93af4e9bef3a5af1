-- The tuples of the star as they come home, in an order that does not depend on how the star was built.
--
-- values  the leaf columns of the star, as code_1, code_2, …, and what is carried of sensitive attributes
-- order   code_1, code_2, …
-- star    the star
--
-- One row per row of the star.
select
    {values},
    frequency
from {star}
order by {order}
