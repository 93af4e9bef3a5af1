-- The cells of one attribute in a recoding, counted by generalized value.
--
-- dimension  the attribute's position
-- code       the attribute's code column
-- level      the attribute's level column
-- share      the column of the shares covered by the attribute's ranges, or #no_share
-- recoding   the recoding
--
-- One row per leaf, level, share and suppression. sum(frequency) is the number of rows of the source.
select
    cast({dimension} as utinyint) as dimension,
    {code} as code,
    {level} as level,
    suppressed,
    {share} as share,
    cast(sum(frequency) as bigint) as frequency
from {recoding}
group by all

-- section: no_share
-- Share of the other leaves for a cell without a range: missing.
cast(null as double)
