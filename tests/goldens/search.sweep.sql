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

-- search/sweep/recoding#persons
select
    visits.person as person,
    "code_1",
    "code_2",
    coalesce("level", 0) as "level_1",
    coalesce("level", 0) as "level_2",
    visits.frequency as frequency,
    visits.checksum as checksum,
    recoded.person is null as suppressed
from "visits" as visits
left join "recoded" as recoded
    on recoded.person = visits.person
    and "one" = "other"

-- search/sweep/recoding#level
coalesce("level", 0)

-- search/sweep/tuples
select
    "code_1",
    "code_2",
    frequency
from "star"
order by "order"
