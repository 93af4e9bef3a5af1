-- The cells of one attribute in a recoding.
--
-- dimension  the attribute's position
-- code       its code column
-- level      its level column
-- share      the column of what its ranges cover, or #no_share
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
-- What stands for the share of the other leaves that a range covers, where a cell has no range.
cast(null as double)
