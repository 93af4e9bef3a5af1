-- How many rows of a node are in value groups below k, as anybody would ask: one GROUP BY over the star.
--
-- $k      the smallest allowed value group
-- star    the star
-- levels  the node's level columns, such as zip_2, sex_0
--
-- One row.
select cast(coalesce(sum(frequency) filter (where frequency < $k), 0) as bigint) as outliers
from (
    select sum(frequency) as frequency
    from {star}
    group by {levels}
)
