-- star/children
select
    1 as dimension,
    "level" as level,
    max(children) as children
from (
    select count(distinct "below") as children
    from "table"
    group by "above"
)

-- star/dimension
select
    cast(row_number() over (order by "order") - 1 as uinteger) as code,
    present,
    value,
    "levels",
    cast(rank() over (order by "order") - 1 as uinteger) as "ancestor_0",
    cast(rank() over (order by "order") - 1 as uinteger) as "ancestor_1"
from "members"

-- star/dimension#ancestor
cast(rank() over (order by "order") - 1 as uinteger)

-- star/generalization
select
    dimension,
    level,
    code,
    ancestor,
    count(*) over (partition by dimension, level, ancestor) as leaves,
    coalesce(
        (count(*) over (partition by dimension, level, ancestor) - 1)
            / nullif(count(*) over (partition by dimension, level) - 1, 0),
        0
    ) as loss,
    modified
from (
    select
        cast(1 as utinyint) as dimension,
        cast("level" as utinyint) as level,
        code,
        "ancestor" as ancestor,
        "name" is distinct from level_0 as modified
    from "table"
)

-- star/generalization#level
select
    cast(1 as utinyint) as dimension,
    cast("level" as utinyint) as level,
    code,
    "ancestor" as ancestor,
    "name" is distinct from level_0 as modified
from "table"

-- star/star
select
    "zip_2",
    "sex_0",
    base.frequency,
    base.checksum
from "base" as base
join (select * from "table" where present) as "table"
    on "table".value is not distinct from base."value"

-- star/star#join
join (select * from "table" where present) as "table"
    on "table".value is not distinct from base."value"

-- star/star#missing
select bool_or(value is null) as missing
from "domain"
