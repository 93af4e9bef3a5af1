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
