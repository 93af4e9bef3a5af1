-- insight/frequent
select
    "place" as place,
    count(*) as found,
    coalesce(list(rows order by rows desc) filter (where rows >= $least)[:$most], []) as frequent
from (
    select cast(sum("rows") as bigint) as rows
    from "groups"
    group by "value"
)

-- insight/frequent#stayed
(
    select *
    from "recoding"
    where not suppressed
)

-- insight/kept
select count(distinct "column")
from "release" as relation

-- insight/kept#values
count(distinct "column")

-- insight/shared
select count(case when "values" = 1 then 1 end)
from (
    select
        count(*) as size,
        count(distinct "column") + max(case when "column" is null then 1 else 0 end)
    from "release" as relation
    group by "names"
) as classes

-- insight/shared#values
count(distinct "column") + max(case when "column" is null then 1 else 0 end)

-- insight/shared#classes
count(case when "values" = 1 then 1 end)

-- insight/shared#rows
coalesce(sum(case when "values" = 1 then size end), 0)

-- insight/sizes
select
    size,
    count(*) as classes
from "classes"
group by size
order by size
