-- The values of an attribute, each with its text.
--
-- domain  the attribute's values
--
-- One row per value, the missing one included. Ordered, so that a function's counts do not differ from run to run.
select
    value,
    cast(value as varchar) as level_0
from {domain}
order by level_0
