-- Number of classes of a release with fewer than k persons, if equal values of an identifier are one person.
--
-- below    one #below per identifier
-- persons  one #persons per identifier
-- release  the release, with the identifiers
-- names    the quasi-identifier's columns, in their grouped form
--
-- One row: the number of all classes, and per identifier the number of classes with fewer than k persons.
select
    count(*) as classes,
    {below}
from (
    select {persons}
    from {release} as relation
    group by {names}
) as classes

-- section: persons
-- Number of persons in a class by an identifier: its distinct values, and one person per row without a value.
--
-- identifier  store/cell/exact of the column
count(distinct {identifier}) + count(*) - count({identifier})

-- section: below
-- Number of classes with fewer than k persons.
--
-- persons  the column of the classes' number of persons
-- k        the fewest persons required
count(case when {persons} < {k} then 1 end)
