-- Number of combinations of kept cells more frequent in a staged release than in the source. 0 is correct.
--
-- released  the sensitive and kept cells of the release, exact, as kept_1, kept_2, …
-- kept      the same cells of the source, in their released form
-- names     kept_1, kept_2, …
-- release   the statement to read the staged release
-- source    the source
--
-- One row.
select count(*) as combinations
from (
    select 1
    from (
        select
            {released},
            1 as copies
        from (
            {release}
        ) as released
        union all
        select
            {kept},
            -1 as copies
        from {source} as source
    ) as cells
    group by {names}
    having sum(copies) > 0
) as invented
