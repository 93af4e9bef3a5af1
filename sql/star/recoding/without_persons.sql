-- A full-domain generalization as a recoding, with all rows of some persons suppressed.
--
-- codes     the leaf columns of the visits, as code_1, code_2, …
-- levels    the node's levels, as level_1, level_2, …
-- left_out  the suppressed persons, by code
-- visits    privacy/histories/visits
--
-- One row per tuple and per value of suppressed: two rows for a tuple with some rows suppressed and others not.
select
    {codes},
    {levels},
    cast(sum(frequency) as bigint) as frequency,
    sum(checksum) as checksum,
    person in (select code from {left_out}) as suppressed
from {visits}
group by all
