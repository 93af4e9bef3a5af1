-- insight/frequent
select
    count(*) as found,
    coalesce(list(rows order by rows desc) filter (where rows >= $least)[:$most], []) as frequent
from (
    select cast(sum("rows") as bigint) as rows
    from "groups"
    group by "value"
)

-- insight/sizes
select
    size,
    count(*) as classes
from "classes"
group by size
order by size
