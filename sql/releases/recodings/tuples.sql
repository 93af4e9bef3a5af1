-- The released tuples with the number of their class.
--
-- values   value_1, value_2, …
-- recoded  releases/recodings/recoded, as a table or nested
-- classes  releases/recodings/classes
-- match    one store/same per attribute
--
-- One row per tuple, or per part of a tuple with rows in several classes. A class is always found. The join is a left
-- join only to prevent a slow plan that begins with the few classes, and joins them with all leaves of every suppressed
-- dimension.
select
    {values},
    classes.class,
    recoded.rows,
    recoded.lower,
    recoded.total
from {recoded} as recoded
left join {classes} as classes
    on {match}
