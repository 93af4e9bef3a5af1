-- The recoding of every released tuple: the class of its rows.
--
-- values   value_1, value_2, …
-- recoded  releases/recodings/recoded, as a table or nested
-- classes  releases/recodings/classes
-- match    one store/same per attribute
--
-- One row per tuple, or part of one. Each has its class: the join is a left one so that no plan begins with the few
-- classes, and joins them with all leaves of every suppressed dimension.
select
    {values},
    classes.class,
    recoded.rows,
    recoded.lower,
    recoded.total
from {recoded} as recoded
left join {classes} as classes
    on {match}
