-- Check of a population's classes for δ-presence: the share of a class's people with a row in the release is within two
-- bounds.
--
-- $least        the numerator of the smallest share, as a fraction
-- $least_parts  the denominator of that fraction
-- $most         the numerator of the largest share, as a fraction
-- $most_parts   the denominator of that fraction
-- classes       the classes of the release and of the population, with the number of rows (size) and of people (people)
--
-- One row: the largest share of a class with people, the number of classes with a share outside the bounds, and the
-- number of rows in these classes.
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
