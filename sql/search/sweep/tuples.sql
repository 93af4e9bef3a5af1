-- The tuples of the star, in an order independent of the way the star was built.
--
-- values  the leaf columns of the star, as code_1, code_2, …, and carried columns of sensitive attributes
-- order   code_1, code_2, …
-- star    the star
--
-- One row per row of the star.
select
    {values},
    frequency
from {star}
order by {order}
