-- A local recoding with tuples recoded in memory.
--
-- codes     code_1, code_2, …
-- levels    level_1, level_2, …
-- recoded   the frame of tuples: codes, levels, frequency and suppressed
--
-- One row per tuple. sum(frequency) is that of the star.
select
    {codes},
    {levels},
    cast(frequency as bigint) as frequency,
    suppressed
from {recoded}

-- section: persons
-- A local recoding of persons with all of their tuples, computed in memory.
--
-- codes    the leaf columns of the visits, as code_1, code_2, …
-- levels   one #level per attribute, as level_1, level_2, …
-- visits   privacy/histories/visits
-- recoded  the frame of persons: person, codes and levels of those not suppressed
-- match    one star/recoding/recode#match per attribute
--
-- One row per person and tuple. sum(frequency) is that of the star.
select
    visits.person as person,
    {codes},
    {levels},
    visits.frequency as frequency,
    visits.checksum as checksum,
    recoded.person is null as suppressed
from {visits} as visits
left join {recoded} as recoded
    on recoded.person = visits.person
    and {match}

-- section: level
-- The level of a cell; a suppressed one keeps its own.
--
-- level  the level, if its person is not suppressed
coalesce({level}, 0)
