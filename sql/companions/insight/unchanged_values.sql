-- Number of values of each attribute at level 0 in the release. A missing value does not count: it reveals nothing.
--
-- counts    one #count per attribute
-- recoding  the recoding: code_1, level_1, …, suppressed
--
-- One row.
select {counts}
from {recoding} as recoding
where not suppressed

-- section: count
-- Number of distinct values of one attribute at level 0.
--
-- code   the recoding's column with the attribute's code
-- level  the recoding's column with the attribute's level
-- key    the column of the dimension table with the codes
-- table  the dimension table of the attribute: codes and texts at every level
count(distinct {code}) filter (
    where {level} = 0
        and {code} is distinct from (
            select min({key})
            from {table}
            where present and value is null
        )
)
