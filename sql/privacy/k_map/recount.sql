-- Check of a release's classes: enough people of its population.
--
-- $k       the smallest allowed number of people
-- classes  the classes, with size, their rows, and people, those of the population
--
-- One row: the fewest people of a class; how many classes have fewer than k, and how many rows those have.
select
    min(people) as fewest,
    count(*) filter (where people < $k) as violating_classes,
    cast(coalesce(sum(size) filter (where people < $k), 0) as bigint) as violating_rows
from {classes}
where size > 0
