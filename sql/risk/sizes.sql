-- How many classes have how many rows.
--
-- classes  classes over more columns: value_1, value_2, …, size
-- values   those of the quasi-identifier
--
-- One row per size.
select
    size,
    count(*) as classes
from (
    select cast(sum(size) as bigint) as size
    from {classes}
    group by {values}
)
group by size
order by size
