-- Number of rows by leaf of one attribute and class (the column to predict), for information gains.
--
-- leaf   the attribute's leaf column of the star
-- star   the star, with class
-- table  the dimension table of the attribute: codes and texts at every level
--
-- One row per present pair of leaf and class. leaves is the number of leaves of the dimension. Classes are numbered
-- from 0 in sorted order, equally for every attribute; the missing value is a class, too.
select
    code,
    dense_rank() over (order by class) - 1 as class,
    frequency,
    (select count(*) from {table}) as leaves
from (
    select
        {leaf} as code,
        class,
        cast(sum(frequency) as bigint) as frequency
    from {star}
    group by all
)
