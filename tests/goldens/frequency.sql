-- frequency/base
select
    "value_1",
    "value_2",
    cast(sum(hash(hash("before", cast("cell" as varchar)))) as hugeint) as checksum,
    count(*) as frequency
from "source" as source
group by "columns"

-- frequency/distant
select
    "value_1",
    "value_2",
    cast(sum(hash(hash("before", cast("cell" as varchar)))) as hugeint) as checksum,
    cast(count(*) as bigint) as frequency
from "source" as source
join "table"
    on "one" = "other"
    and "table".present
where ("code" * "factor") % 1000003 % "parts" = 0
group by "codes"

-- frequency/distant#drawn
where ("code" * "factor") % 1000003 % "parts" = 0

-- frequency/distant#sample
("code" * "factor") % 1000003 % "parts" = 0

-- frequency/distant#rare
("terms") >= "least"

-- frequency/distant#weighted
select
    "columns",
    cast(round(-20 * ln(
        sum(leaves.frequency) over (partition by "code") / sum(leaves.frequency) over ()
    )) as bigint)
from "table" as dimension
join "leaves" as leaves
    on "leaf" = dimension.ancestor_0
where dimension.present

-- frequency/distant#weight
cast(round(-20 * ln(
    sum(leaves.frequency) over (partition by "code") / sum(leaves.frequency) over ()
)) as bigint)

-- frequency/distant#term
"code" * "factor"

-- frequency/distant#shortfall
select
    "node" as node,
    cast(coalesce(sum(case when "violating" then frequency else 0 end), 0) as bigint) as outliers
from (
    select
        "value_1",
        "value_2",
        cast(sum(hash(hash("before", cast("cell" as varchar)))) as hugeint) as checksum,
        cast(count(*) as bigint) as frequency
    from "source" as source
    join "table"
        on "one" = "other"
        and "table".present
    where ("code" * "factor") % 1000003 % "parts" = 0
    group by "codes"
) as counted

-- frequency/distant#rows
select cast(count(*) as bigint) as rows
from "source" as source

-- frequency/distant#star
select
    "zip_2",
    "sex_0",
    brought.frequency,
    brought.checksum
from "brought" as brought
join "table"
    on "table".code = "code"

-- frequency/distant#mixed
select distinct
    dimension,
    level
from "generalization"
group by
    dimension,
    level,
    ancestor
having bool_or(modified) and not bool_and(modified)

-- frequency/distinct
select "value_1",
"value_2"
from "frequency"
where frequency > 0

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

-- frequency/marginals
select
    "names",
    cast(count(*) as bigint) as groups,
    cast(sum(frequency) as bigint) as frequency
from (
    select
        case when cast(grouping("column") as bigint) = 0 then null else "column" end as "value_1",
        case when cast(grouping("column") as bigint) = 0 then null else "column" end as "value_2",
        cast(grouping("column") as bigint) as "apart_1",
        cast(grouping("column") as bigint) as "apart_2",
        count(*) as frequency
    from "source" as source
    group by grouping sets (("columns"))
) as grouped
group by "names"

-- frequency/marginals#value
case when cast(grouping("column") as bigint) = 0 then null else "column" end

-- frequency/marginals#apart
cast(grouping("column") as bigint)

-- frequency/marginals#set
("columns")

-- frequency/marginals#of
select
    "value",
    frequency,
    cast(0 as bigint) as checksum
from "marginals"
where "apart" = 0
    and "together" = "others"

-- frequency/marginals#combinations
select cast(sum(groups) as bigint) as combinations
from "marginals"
where "together" = 0

-- frequency/nodes
select *
from "frequency"
where node between "first" and "last"

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
