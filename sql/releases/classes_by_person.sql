-- Number of classes of a release with fewer than k different values of an identifier, taken as persons.
--
-- below    one #below per identifier
-- persons  one #persons per identifier
-- release  the release, with the identifiers
-- names    the quasi-identifier's columns, in their grouped form
--
-- One row: the classes, and of each identifier those with fewer.
select
    count(*) as classes,
    {below}
from (
    select {persons}
    from {release} as relation
    group by {names}
) as classes

-- section: persons
-- Number of persons of a class by an identifier. A row without a value may be anybody's.
--
-- identifier  store/cell/exact of the column
count(distinct {identifier}) + count(*) - count({identifier})

-- section: below
-- Classes with fewer persons than they should have.
--
-- persons  the column of the classes' number of persons
-- k        the fewest persons required
count(case when {persons} < {k} then 1 end)
