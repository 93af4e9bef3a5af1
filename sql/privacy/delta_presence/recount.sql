-- Check of a population's classes: between two shares of their people are in a release.
--
-- $least        the numerator of the smallest share, as a fraction
-- $least_parts  its parts
-- $most         the numerator of the largest share, as a fraction
-- $most_parts   its parts
-- classes       the classes of the release and of the population, with size, their rows, and people
--
-- One row: the largest share, nobody being none of anybody; how many classes are outside, and how many rows those have.
select
    max(size / people) filter (where people > 0) as largest,
    count(*) filter (where outside) as violating_classes,
    cast(coalesce(sum(size) filter (where outside), 0) as bigint) as violating_rows
from (
    select
        size,
        people,
        cast(size as hugeint) * $most_parts > cast(people as hugeint) * $most
        or cast(size as hugeint) * $least_parts < cast(people as hugeint) * $least as outside
    from {classes}
)
