-- frequency/base
select
    "value_1",
    "value_2",
    cast(sum(hash(hash("before", cast("cell" as varchar)))) as hugeint) as checksum,
    count(*) as frequency
from "source" as source
group by "columns"

-- frequency/distinct
select "value_1",
"value_2"
from "frequency"

-- frequency/distinct#values
count(distinct "value")

-- frequency/groups
select
    node,
    count(*) as groups
from "frequency"
group by node

-- frequency/lifted
select
    "node" as node,
    "zip_0",
    "zip_1",
    "counts"
from "below" as below
join "table"
    on "table".code = below."value"
where below.node = "node"

-- frequency/lifted#lift
join "table"
    on "table".code = below."value"

-- frequency/lifted#absent
cast(null as uinteger)

-- frequency/recount
select
    "node" as node,
    "zip_2",
    "sex_0",
    cast(sum(frequency) as bigint) as frequency
from "star"
group by all

-- frequency/rollup
select
    "node" as node,
    "value_1",
    "value_2",
    cast(sum(frequency) as bigint) as frequency
from "below" as below
join "generalization" as "climb"
    on "climb".dimension = 1
    and "climb".level = "level"
    and "climb".code = below."value"
where below.node = "beneath"
group by all

-- frequency/rollup#climb
join "generalization" as "climb"
    on "climb".dimension = 1
    and "climb".level = "level"
    and "climb".code = below."value"

-- frequency/rollup#counted
cast(sum(frequency) as bigint) as frequency

-- frequency/shortfall
select
    node,
    count(*) as groups,
    count(*) filter (where not "violating") as classes,
    cast(coalesce(sum(greatest(frequency, 1)) filter (where "violating"), 0) as bigint) as outliers
from "frequency"
group by node

-- frequency/size
select
    cast(coalesce(sum(frequency), 0) as bigint) as rows,
    count(*) as groups,
    min(frequency) as smallest
from "frequency"

-- frequency/violating
select frequency.*
from "frequency" as frequency
semi join (
    select node
    from "checked"
    where not anonymous
) as violating
    on violating.node = frequency.node
