-- How many combinations of kept cells a staged release has more often than the source.
--
-- kept     the sensitive and kept columns, as text
-- release  the statement that reads it back
-- source   the source
-- equal    one verify/equal per kept column
--
-- One row.
select count(*) as combinations
from (
    select
        {kept},
        count(*) as copies
    from (
{release}
    )
    group by all
) as staged
left join (
    select
        {kept},
        count(*) as copies
    from {source}
    group by all
) as original
    on {equal}
where coalesce(original.copies, 0) < staged.copies
