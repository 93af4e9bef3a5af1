-- Number of combinations of kept cells more frequent in a staged release than in the source.
--
-- released  the sensitive and kept cells of the release, exact, as kept_1, kept_2, …
-- kept      those of the source, as they leave
-- names     kept_1, kept_2, …
-- release   the statement that reads it back
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
