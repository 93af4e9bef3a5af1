-- Number of values of one attribute at level 0 in the release. A missing value does not count: it reveals nothing. A
-- UNION of these statements counts several attributes: with all counts in one row, planning a wide table takes long.
--
-- position  the attribute's position
-- code      the recoding's column with the attribute's code
-- level     the recoding's column with the attribute's level
-- recoding  the recoding: code_1, level_1, …, suppressed
-- key       the column of the dimension table with the codes
-- table     the dimension table
--
-- One row.
select
    {position} as position,
    count(shown.code) as unchanged
from (
    select {code} as code
    from {recoding}
    where not suppressed
        and {level} = 0
    group by code
) as shown
anti join (
    select {key} as code
    from {table}
    where present
        and value is null
) as missing using (code)
