-- How many rows have the same values of the quasi-identifiers before these are generalized.
--
-- values  the columns of the values
-- groups  insight/frequent#stayed, insight/frequent#stayed_of_source, or the base frequency set
--
-- One row per size: so many groups have it.
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
-- The same where each combination is one of quasi-identifiers alone, whose rows are counted already.
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
