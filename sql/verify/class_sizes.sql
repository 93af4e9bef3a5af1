-- Number of classes by number of rows.
--
-- sizes  the sizes of the classes, such as privacy/k_anonymity/regrouped
--
-- One row per size.
select
    size,
    count(*) as classes
from (
    {sizes}
)
group by size
order by size
