-- search/mondrian/counts
select
    region,
    case cut.dimension when 1 then "path" >> cut.shift end as child,
    cast(sum(frequency) as bigint) as frequency
from "parts" as part
join (
    select
        region,
        dimension,
        shift
    from "cuts"
) as cut using (region)
group by
    region,
    child

-- search/mondrian/counts#child
case cut.dimension when 1 then "path" >> cut.shift end

-- search/mondrian/counts#path
when 1 then "path" >> cut.shift

-- search/mondrian/counts#half
when 1 then half

-- search/mondrian/cuts
with queues as (
    select
        choice.region,
        any_value(choice.frequency) as frequency,
        list(
            struct_pack(dimension := level.dimension, shift := level.shift)
            order by
                coalesce(last.width - first.width, wide.width) desc,
                level.dimension
        ) as cuts
    from (
        select
            region,
            frequency,
            unnest([struct_pack(
                dimension := 1,
                low := cast("low" as hugeint),
                high := cast("high" as hugeint)
            )]) as cut
        from "regions"
        where region > $known
            and frequency >= "twice"
    ) as choice
    join "levels" as level
        on level.dimension = choice.cut.dimension
        and xor(choice.cut.low, choice.cut.high) between level.reach and level.until
    join "widths" as wide
        on wide.dimension = level.dimension
        and wide.level = level.level
        and wide.value = choice.cut.low >> level.above
    left join "widths" as first
        on first.dimension = level.dimension
        and first.level = 0
        and first.value = choice.cut.low
    left join "widths" as last
        on last.dimension = level.dimension
        and last.level = 0
        and last.value = choice.cut.high
    group by choice.region
)

select
    region,
    frequency,
    cuts[1].dimension as dimension,
    cuts[1].shift as shift,
    cuts[2:] as cuts
from queues

-- search/mondrian/cuts#choice
struct_pack(
    dimension := 1,
    low := cast("low" as hugeint),
    high := cast("high" as hugeint)
)

-- search/mondrian/cuts#refused
select
    region,
    frequency,
    cuts[1].dimension as dimension,
    cuts[1].shift as shift,
    cuts[2:] as cuts
from "cuts" as cut
where len(cuts) > 0
    and not exists (
        select 1
        from "sides" as side
        where side.region = cut.region
    )

-- search/mondrian/level
select
    1 as dimension,
    "level" as level,
    cast("reach" as hugeint) as reach,
    cast("until" as hugeint) as until,
    cast("above" as integer) as above,
    cast("shift" as integer) as shift

-- search/mondrian/merged
select
    "columns",
    suppressed,
    cast(sum(frequency) as bigint) as frequency
from "recoding"
group by all

-- search/mondrian/parts
select
    cast(1 as bigint) as region,
    "paths",
    cast(frequency as bigint) as frequency
from "star"
join "paths"
    on "paths".code = "leaf"

-- search/mondrian/parts#groups
select
    cast(dense_rank() over (order by "level", "path" >> ["shifts"]["level" + 1]) as bigint) as region,
    "paths",
    cast(recoding.frequency as bigint) as frequency
from "recoding" as recoding
join "star" as star
    on "leaf" = "code"
join "paths"
    on "paths".code = "leaf"

-- search/mondrian/parts#leaf
"leaf" = "code"

-- search/mondrian/parts#value_at
"level", "path" >> ["shifts"]["level" + 1]

-- search/mondrian/parts#moved
select
    coalesce(side.target, part.region) as region,
    "paths",
    part.frequency
from "parts" as part
join "cuts" as cut using (region)
left join "sides" as side
    on side.region = part.region
    and side.child = case cut.dimension when 1 then "path" >> cut.shift end

-- search/mondrian/parts#halved
with ranked as (
    select
        part.region,
        "paths",
        part.frequency,
        middle,
        sum(part.frequency) over (
            partition by part.region
            order by number, hash($seed, "paths"), "paths"
            rows between unbounded preceding and current row
        ) as until
    from (
        select
            part.*,
            cut.frequency // 2 as middle,
            case cut.dimension when 1 then "path" >> cut.shift end as number
        from "parts" as part
        join "cuts" as cut using (region)
        where cut.dimension in ("numeric")
    ) as part
)

select
    region,
    "paths",
    frequency,
    null as half
from "parts" as part
where not exists (
    select 1
    from "cuts" as cut
    where cut.region = part.region
        and cut.dimension in ("numeric")
)
union all
select
    region,
    "paths",
    cast(least(middle, until) - (until - frequency) as bigint) as frequency,
    0 as half
from ranked
where until - frequency < middle
union all
select
    region,
    "paths",
    cast(until - greatest(middle, until - frequency) as bigint) as frequency,
    1 as half
from ranked
where until > middle

-- search/mondrian/paths
select
    "columns",
    cast((dense_rank() over (partition by "above" order by "below") - 1) * "mark" as varchar) as path
from "table"

-- search/mondrian/places
select
    1 as dimension,
    0 as level,
    cast(path as hugeint) as value,
    coalesce(
        (place - min(place) over ()) / nullif(max(place) over () - min(place) over (), 0),
        case when place is null then 2 else 0 end
    ) as width
from (
    select
        path,
        cast(number as double) as place
    from "paths"
)

-- search/mondrian/places#widths
select
    1 as dimension,
    "level" as level,
    cast(path >> "shift" as hugeint) as value,
    coalesce((count(*) - 1) / nullif((select count(*) from "paths") - 1, 0), 0) as width
from "paths"
group by all

-- search/mondrian/progress
select
    (select count(*) from "cuts"),
    (select max(region) from "regions")

-- search/mondrian/progress#found
select count(distinct region)
from "settled"

-- search/mondrian/progress#climbed
select cast(sum(frequency * ("levels")) as hugeint)
from "recoding"

-- search/mondrian/qids
with running as (
    select
        region,
        child,
        cut.frequency as whole,
        sum(counted.frequency) over (partition by region order by child) as until,
        min(counted."low") over (partition by region order by child rows between unbounded preceding and current row) as "side"
    from "counts" as counted
    join "cuts" as cut using (region)
    where cut.dimension in ("numeric")
)

select
    region,
    cast(0 as hugeint) as place,
    cast(0 as hugeint) as far,
    cast(child as hugeint) as side,
    counted.frequency,
    "spans"
from "counts" as counted
join "cuts" as cut using (region)
where cut.dimension not in ("numeric")
union all
select
    region,
    child as place,
    abs(2 * until - whole) as far,
    0 as side,
    until as frequency,
    "left"
from running
where until < whole
union all
select
    region,
    child as place,
    abs(2 * until - whole) as far,
    1 as side,
    whole - until as frequency,
    "right"
from running
where until < whole

-- search/mondrian/qids#running
min(counted."low") over (partition by region order by child rows between unbounded preceding and current row) as "side"

-- search/mondrian/qids#low
min(counted."low")

-- search/mondrian/qids#high
max(counted."high")

-- search/mondrian/qids#cell
struct_pack(
    level := cast(case when xor("low", "high") < "size" then "level" end as utinyint),
    low := cast("low" >> ["shifts"][cast(case when xor("low", "high") < "size" then "level" end as utinyint) + 1] as hugeint),
    high := cast(0 as hugeint)
)

-- search/mondrian/qids#range
struct_pack(
    level := cast("low" <> "high" as utinyint),
    low := case
        when "low" <> "high" and "high" = (select path from "paths" where number is null) then -1
        else cast("low" as hugeint)
    end,
    high := cast("high" as hugeint)
)

-- search/mondrian/qids#of_sides
select
    "qid" as qid,
    "least" as least,
    region,
    place,
    [struct_pack(
        level := cast(case when xor("low", "high") < "size" then "level" end as utinyint),
        low := cast("low" >> ["shifts"][cast(case when xor("low", "high") < "size" then "level" end as utinyint) + 1] as hugeint),
        high := cast(0 as hugeint)
    )] as cells,
    frequency as change
from "tried"
union all
select
    "qid" as qid,
    "least" as least,
    region,
    place,
    [struct_pack(
        level := cast(case when xor("low", "high") < "size" then "level" end as utinyint),
        low := cast("low" >> ["shifts"][cast(case when xor("low", "high") < "size" then "level" end as utinyint) + 1] as hugeint),
        high := cast(0 as hugeint)
    )] as cells,
    -frequency as change
from "regions" as region
join (
    select distinct
        region,
        place
    from "tried"
) as tried using (region)

-- search/mondrian/qids#changes
select
    qid,
    least,
    region,
    place,
    cells,
    cast(sum(change) as bigint) as change
from (
    select
        "qid" as qid,
        "least" as least,
        region,
        place,
        [struct_pack(
            level := cast(case when xor("low", "high") < "size" then "level" end as utinyint),
            low := cast("low" >> ["shifts"][cast(case when xor("low", "high") < "size" then "level" end as utinyint) + 1] as hugeint),
            high := cast(0 as hugeint)
        )] as cells,
        frequency as change
    from "tried"
    union all
    select
        "qid" as qid,
        "least" as least,
        region,
        place,
        [struct_pack(
            level := cast(case when xor("low", "high") < "size" then "level" end as utinyint),
            low := cast("low" >> ["shifts"][cast(case when xor("low", "high") < "size" then "level" end as utinyint) + 1] as hugeint),
            high := cast(0 as hugeint)
        )] as cells,
        -frequency as change
    from "regions" as region
    join (
        select distinct
            region,
            place
        from "tried"
    ) as tried using (region)
)
group by all
having sum(change) <> 0

-- search/mondrian/qids#groups
select
    "qid" as qid,
    [struct_pack(
        level := cast(case when xor("low", "high") < "size" then "level" end as utinyint),
        low := cast("low" >> ["shifts"][cast(case when xor("low", "high") < "size" then "level" end as utinyint) + 1] as hugeint),
        high := cast(0 as hugeint)
    )] as cells,
    cast(sum(frequency) as bigint) as size
from "regions"
group by all

-- search/mondrian/qids#allowable
with refused as (
    select
        change.region,
        change.place
    from "changes" as change
    left join "groups" as own using (qid, cells)
    where coalesce(own.size, 0) + change.change between 1 and change.least - 1
)

select
    region,
    min(struct_pack(far := far, place := place)).place as place
from "tried" as tried
where not exists (
    select 1
    from refused
    where refused.region = tried.region
        and refused.place = tried.place
)
group by region

-- search/mondrian/qids#agreed
with touched as (
    select
        change.region,
        change.least,
        coalesce(own.size, 0) as size,
        sum(greatest(-change.change, 0)) over (
            partition by qid, cells
            order by change.region
        ) as leaving,
        row_number() over (
            partition by qid, cells
            order by change.region
        ) as turn
    from "changes" as change
    join "allowable" as cut
        on cut.region = change.region
        and cut.place = change.place
    left join "groups" as own using (qid, cells)
)

select
    region,
    place
from "allowable" as cut
where not exists (
    select 1
    from touched
    where touched.region = cut.region
        and touched.turn > 1
        and touched.leaving > 0
        and touched.size - touched.leaving < touched.least
)

-- search/mondrian/qids#sides
select
    region,
    child,
    cast(
        $known + dense_rank() over (
            order by
                region,
                case when cut.dimension in ("numeric") then cast(child > agreed.place as integer) else child end
        ) as bigint
    ) as target
from "counts" as counted
join "cuts" as cut using (region)
join "agreed" as agreed using (region)

-- search/mondrian/qids#moved
select
    coalesce(side.target, part.region) as region,
    "paths",
    part.frequency
from "parts" as part
left join "cuts" as cut using (region)
left join "sides" as side
    on side.region = part.region
    and side.child = case cut.dimension when 1 then "path" >> cut.shift end

-- search/mondrian/qids#next
select cut.*
from "cuts" as cut
where region in (select region from "allowable")
    and region not in (select region from "agreed")
union all
select
    region,
    frequency,
    cuts[1].dimension as dimension,
    cuts[1].shift as shift,
    cuts[2:] as cuts
from "cuts" as cut
where len(cuts) > 0
    and region not in (select region from "allowable")

-- search/mondrian/recoding
select
    "codes",
    "names",
    part.frequency,
    false as suppressed
from "settled" as part
join (
    select
        *,
        cast(case when xor("low", "high") < "size" then "level" end as utinyint) as "level_1",
        cast(case when xor("low", "high") < "size" then "level" end as utinyint) as "level_2"
    from "regions"
) as region using (region)
left join "paths" as "leaf"
    on "leaf".path = "path"

-- search/mondrian/recoding#at_level
when xor("low", "high") < "size" then "level"

-- search/mondrian/recoding#common
cast(case when xor("low", "high") < "size" then "level" end as utinyint)

-- search/mondrian/recoding#leaf
left join "paths" as "leaf"
    on "leaf".path = "path"

-- search/mondrian/recoding#range
,
case
    when region."low" = region."high" then null
    when "high".number is null then '*'
    else '[' || regexp_replace(cast("leaf".number as varchar), '\.?0+$', '') || ', ' || regexp_replace(cast("leaf".number as varchar), '\.?0+$', '') || ']'
end as "text",
case
    when region."low" = region."high" then 0
    when "high".number is null then 1
    else ("high".code - "low".code) / (select max(code) from "paths")
end as "share"

-- search/mondrian/recoding#number
regexp_replace(cast("leaf".number as varchar), '\.?0+$', '')

-- search/mondrian/regions
select
    region,
    cast(sum(frequency) as bigint) as frequency,
    min("path") as "low",
    max("path") as "high"
from "parts"
where region > $known
group by region

-- search/mondrian/regions#span
min("path") as "low",
max("path") as "high"

-- search/mondrian/regions#settled
select *
from "parts" as part
where not exists (
    select 1
    from "cuts" as cut
    where cut.region = part.region
)

-- search/mondrian/sides
with medians as (
    select
        region,
        min(struct_pack(far := abs(2 * until - whole), child := child)).child as last
    from (
        select
            region,
            child,
            whole,
            until,
            whole - until as frequency,
            "right_1"
        from (
            select
                region,
                child,
                whole,
                until,
                until as frequency,
                "right_1",
                "right_2",
                "left_1"
            from (
                select
                    region,
                    child,
                    cut.frequency as whole,
                    sum(counted.frequency) over (partition by region order by child) as until,
                    "left_1",
                    "left_2",
                    "right_1",
                    "right_2"
                from "counts" as counted
                join "cuts" as cut using (region)
                where cut.dimension in ("numeric")
            )
        )
        where not "violating"
    )
    where not "violating"
    group by region
),

sided as materialized (
    select
        counted.*,
        case when cut.dimension in ("numeric") then cast(counted.child > median.last as integer) else counted.child end
            as side
    from "counts" as counted
    join "cuts" as cut using (region)
    left join medians as median using (region)
),

sizes as materialized (
    select
        region,
        side,
        cast(sum(frequency) as bigint) as frequency
    from sided
    where side is not null
    group by
        region,
        side
),

targets as (
    select
        region,
        side,
        cast($known + row_number() over (order by region, side) as bigint) as target
    from sizes
    join (
        select region
        from sizes
        group by region
        having not bool_or("violating")
    ) using (region)
)

select
    region,
    child,
    target
from sided
join targets using (region, side)

-- search/mondrian/sides#further
,
"column"

-- search/mondrian/sides#up_to
rows between unbounded preceding and current row

-- search/mondrian/sides#beyond
rows between 1 following and unbounded following

-- search/mondrian/sides#running
bit_or(counted."held") over (partition by region order by child rows between unbounded preceding and current row) as "side"

-- search/mondrian/sides#running_rows
cast(coalesce(sum(counted."rows") over (partition by region order by child rows between unbounded preceding and current row), 0) as bigint) as "side"
