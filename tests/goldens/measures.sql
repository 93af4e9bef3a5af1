-- measures/attribute_loss
select
    dimension,
    sum(frequency * case when suppressed then 1 else coalesce(share, "moved") end) / sum(frequency) as loss
from "cells" as cells
join "generalization" as generalization using (dimension, level, code)
group by dimension
order by dimension

-- measures/cells
select
    cast(1 as utinyint) as dimension,
    "code" as code,
    "level" as level,
    suppressed,
    cast(null as double) as share,
    cast(sum(frequency) as bigint) as frequency
from "recoding"
group by all

-- measures/cells#no_share
cast(null as double)

-- measures/distance
select
    dimension,
    level,
    max(level) over (partition by dimension) as top,
    level / max(level) over (partition by dimension) as uniform,
    sum(weight) over (partition by dimension order by level) / sum(weight) over (partition by dimension) as height
from (
    select
        dimension,
        level,
        case
            when level = 0 then 0
            else 1 / power(max(level) over (partition by dimension) + 1 - level, $beta)
        end as weight
    from (
        select distinct
            dimension,
            level
        from "generalization"
    )
)

-- measures/level_shares
select
    dimension,
    map_from_entries(list((level, share) order by level)) as shares
from (
    select
        dimension,
        level,
        sum(frequency) / sum(sum(frequency)) over (partition by dimension) as share
    from "cells"
    where not suppressed
    group by
        dimension,
        level
)
group by dimension
order by dimension

-- measures/recoding
select
    cast(sum(frequency) as bigint) as cells,
    "sums"
from "cells" as cells
join "generalization" as generalization using (dimension, level, code)
join "distance" as distance using (dimension, level)

-- measures/recoding#climbed
level / top

-- measures/recoding#modified
cast(sum(frequency) filter (where suppressed or modified) as bigint)

-- measures/recoding#moved
sum(frequency * case when suppressed then 1 else coalesce(share, "moved") end)

-- measures/recoding#suppressed
select cast(coalesce(sum(frequency) filter (where suppressed), 0) as bigint) as rows
from "recoding"
