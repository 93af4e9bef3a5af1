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

-- section: whole
-- How many classes have how many rows, where every one is whole.
--
-- classes  classes: value_1, value_2, …, size
--
-- One row per size.
select
    size,
    count(*) as classes
from {classes}
group by size
order by size
