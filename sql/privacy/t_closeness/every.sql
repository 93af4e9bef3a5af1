-- Every class with every value, also those that it lacks.
--
-- counted  privacy/t_closeness/recount
--
-- One row per class and value: how much larger its share is than that of the table, times the rows of both.
select
    each.class,
    each.size,
    each.whole,
    value_of.text,
    cast(coalesce(found.rows, 0) as hugeint) * each.whole - cast(value_of.total as hugeint) * each.size as extra
from (
    select distinct
        class,
        size,
        whole
    from {counted}
) as each
cross join (
    select distinct
        text,
        total
    from {counted}
) as value_of
left join {counted} as found
    on found.class = each.class
    and found.text is not distinct from value_of.text
