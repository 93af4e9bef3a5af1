-- A local recoding whose tuples were recoded at hand.
--
-- codes     code_1, code_2, …
-- levels    level_1, level_2, …
-- recoded   the frame of them: codes, levels, frequency and suppressed, where they have come from
--
-- One row per tuple. sum(frequency) is that of the star.
select
    {codes},
    {levels},
    cast(frequency as bigint) as frequency,
    suppressed
from {recoded}

-- section: persons
-- A local recoding of persons with all of their tuples: where one of a person goes was found at hand.
--
-- codes    the leaf columns of the visits, as code_1, code_2, …
-- levels   one #level per attribute, as level_1, level_2, …
-- visits   privacy/histories/visits
-- recoded  the frame of them: person, codes and levels of those who are not left out
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
-- The level of a cell; one that is left out stays as it is.
--
-- level  the level, where its person is not left out
coalesce({level}, 0)
