-- The weighted sum of the levels (section 2.1: minimality of the user's own). With weights of 1 it is the height.
--
-- $weights   one per attribute
-- anonymous  the k-anonymous nodes over the whole quasi-identifier
--
-- One row: the best node; the lower one and then the first in the order of levels where several are.
select
    id,
    levels
from {anonymous}
order by
    round(list_dot_product(cast(levels as double[]), cast($weights as double[])), 12),
    height,
    levels
limit 1
