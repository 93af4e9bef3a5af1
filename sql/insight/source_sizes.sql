-- How many rows, or persons, have the same values of the quasi-identifiers before these are generalized.
--
-- records  #rows or #persons
-- values   the columns of the values
-- groups   insight/frequent#stayed, or the base frequency set
--
-- One row per size: so many groups have it.
select
    size,
    count(*) as classes
from (
    select {records} as size
    from {groups}
    group by {values}
)
group by size
order by size

-- section: rows
-- The rows of a group.
cast(sum(frequency) as bigint)

-- section: persons
-- The persons of a group.
--
-- persons  the columns of the base frequency set that tell persons apart
count(distinct ({persons}))

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
