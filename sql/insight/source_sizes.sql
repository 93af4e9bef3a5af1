-- Number of rows with the same ungeneralized values of the quasi-identifiers.
--
-- values  the columns of the values
-- groups  insight/frequent#stayed, insight/frequent#stayed_of_source, or the base frequency set
--
-- One row per size: the number of groups.
select
    size,
    count(*) as classes
from (
    select cast(sum(frequency) as bigint) as size
    from {groups}
    group by {values}
)
group by size
order by size

-- section: combinations
-- The same if each combination is one of quasi-identifiers alone, with its rows counted already.
--
-- base  the base frequency set
--
-- One row per size.
select
    frequency as size,
    count(*) as classes
from {base}
group by frequency
order by frequency
