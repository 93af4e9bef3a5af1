-- The cells of one attribute in a recoding.
--
-- dimension  the attribute's position
-- code       its code column
-- level      its level column
-- share      the column of the shares covered by its ranges, or #no_share
-- recoding   the recoding
--
-- One row per leaf, level, share and fate. sum(frequency) is the number of rows of the source.
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
