-- How many combinations of kept cells a staged release has more often than the source.
--
-- kept     the sensitive and kept columns, as text, as kept_1, kept_2, …
-- names    kept_1, kept_2, …
-- release  the statement that reads it back
-- source   the source
--
-- One row.
select count(*) as combinations
from (
    select 1 as more
    from (
        select
            {kept},
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
