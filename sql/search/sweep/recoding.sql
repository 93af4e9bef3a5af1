-- The relation of a local recoding, from tuples (distinct combinations of leaves) recoded in memory.
--
-- codes     code_1, code_2, …
-- levels    level_1, level_2, …
-- recoded   the frame of tuples: codes, levels, frequency and suppressed
--
-- One row per tuple: leaf code and level per attribute, number of rows, and true if these rows are suppressed.
-- sum(frequency) is the number of rows of the star.
select
    {codes},
    {levels},
    cast(frequency as bigint) as frequency,
    suppressed
from {recoded}

-- section: persons
-- The relation of a local recoding with levels per person and tuple, from persons recoded in memory.
--
-- codes    the leaf columns of the visits, as code_1, code_2, …
-- levels   one #level per attribute, as level_1, level_2, …
-- visits   privacy/histories/visits
-- recoded  the frame of persons: person, codes and levels of those not suppressed
-- match    one star/recoding/recode#match per attribute
--
-- One row per person and tuple. Persons missing in the frame are suppressed. sum(frequency) is the number of rows of
-- the star.
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
-- The level of a cell; 0 for a cell of a suppressed person.
--
-- level  the level, if its person is not suppressed
coalesce({level}, 0)
