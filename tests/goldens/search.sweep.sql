-- search/sweep/climbs
select
    dimension,
    level,
    ancestor,
    loss
from "generalization"
order by
    dimension,
    level,
    code

-- search/sweep/recoding
select
    "codes",
    "levels",
    cast(frequency as bigint) as frequency,
    suppressed
from "recoded"

-- search/sweep/tuples
select
    "code_1",
    "code_2",
    frequency
from "star"
order by "order"
