-- Check of a release's classes for k-map: each class has at least k people of the population.
--
-- $k       the smallest allowed number of people
-- classes  the classes, with the number of rows in the release (size) and of people in the population (people)
--
-- One row: the smallest number of people of a class with rows, the number of classes with fewer than k people, and the
-- number of rows in these classes.
select
    min(people) as fewest,
    count(*) filter (where people < $k) as violating_classes,
    cast(coalesce(sum(size) filter (where people < $k), 0) as bigint) as violating_rows
from {classes}
where size > 0
