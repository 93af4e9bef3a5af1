-- search/tdr/classes
select
    code,
    dense_rank() over (order by class) - 1 as class,
    frequency,
    (select count(*) from "table") as leaves
from (
    select
        "leaf" as code,
        class,
        cast(sum(frequency) as bigint) as frequency
    from "star"
    group by all
)

-- search/tdr/cut
select
    node.dimension,
    member.code,
    min(node.level) as level
from (
    select
        unnest($dimensions) as dimension,
        unnest($levels) as level,
        unnest($ancestors) as ancestor
) as node
join "generalization" as member using (dimension, level, ancestor)
group by
    node.dimension,
    member.code

-- search/tdr/dimension
select
    member.code,
    member.present,
    member.value,
    member.number,
    member.level_0,
    interval.text as level_1,
    member.level_1 as level_2,
    member.ancestor_0,
    cast(interval.first as uinteger) as ancestor_1,
    member.ancestor_1 as ancestor_2
from "table" as member
join (
    select
        interval.first,
        interval.last,
        case
            when lower.number is null and interval.first > 0 then null
            when upper.code is null and interval.first = 0 then '*'
            when upper.number is null and interval.first = 0 then 'any number'
            when interval.first = 0 then '< ' || regexp_replace(cast(upper.number as varchar), '\.?0+$', '')
            when upper.number is null
            then '>= ' || regexp_replace(cast(lower.number as varchar), '\.?0+$', '')
                || case when final.number is null then ' or missing' else '' end
            else '[' || regexp_replace(cast(lower.number as varchar), '\.?0+$', '') || ', '
                || regexp_replace(cast(upper.number as varchar), '\.?0+$', '') || ')'
        end as text
    from (
        select
            unnest($firsts) as first,
            unnest($lasts) as last
    ) as interval
    join "table" as lower
        on lower.code = interval.first
    join "table" as final
        on final.code = interval.last - 1
    left join "table" as upper
        on upper.code = interval.last
) as interval
    on member.code >= interval.first
    and member.code < interval.last

-- search/tdr/masked
select
    case when "mask".is_leaf then "mask".cell else "top" end
from "source" as source
left join "mask"
    on "mask".value is not distinct from "column"
order by source."position"

-- search/tdr/masked#mask
left join "mask"
    on "mask".value is not distinct from "column"

-- search/tdr/masked#cell
case when "mask".is_leaf then "mask".cell else "top" end

-- search/tdr/masked#applied
select
    true as is_leaf,
    value,
    case when masked is null then "top" else masked[2] end as cell
from (
    select
        value,
        list_filter([row("at", "value")], lambda place: list_contains(list_zip($levels, $texts), place))[1] as masked
    from "members"
    where present
) as member

-- search/tdr/masked#place
row("at", "value")

-- search/tdr/masked#applied_intervals
select
    true as is_leaf,
    member.value,
    case when member.number is null then $missing else interval.text end as cell
from "members" as member
left join (
    select
        cast(unnest($lowers) as decimal(38, 18)) as lower,
        cast(unnest($uppers) as decimal(38, 18)) as upper,
        unnest($texts) as text
) as interval
    on (interval.lower is null or member.number >= interval.lower)
    and (interval.upper is null or member.number < interval.upper)

-- search/tdr/masked#top
select coalesce(max("level"), '*') as top
from "members"

-- search/tdr/members
select
    "ancestors",
    "text" is not distinct from "beneath" as "repeated_1",
    "text" is not distinct from "beneath" as "repeated_2"
from "table"
order by code

-- search/tdr/members#repeated
"text" is not distinct from "beneath"

-- search/tdr/numbers
select dense_rank() over (order by number nulls last) as number
from "table"
order by code

-- search/tdr/records
select
    "code_1",
    "code_2",
    cast(sum(frequency) as bigint) as frequency
from "star"
group by all

-- search/tdr/records#tuples
select
    "code_1",
    "code_2",
    "counts"
from "star"

-- search/tdr/values
select
    value.level,
    value.first,
    case value.level when "at" then "value" end as text
from (
    select
        unnest($levels) as level,
        unnest($firsts) as first
) as value
join "table" as member
    on member.code = value.first

-- search/tdr/values#intervals
select
    interval.first,
    interval.last,
    case
        when lower.number is null and interval.first > 0 then null
        when upper.code is null and interval.first = 0 then '*'
        when upper.number is null and interval.first = 0 then 'any number'
        when interval.first = 0 then '< ' || regexp_replace(cast(upper.number as varchar), '\.?0+$', '')
        when upper.number is null
        then '>= ' || regexp_replace(cast(lower.number as varchar), '\.?0+$', '')
            || case when final.number is null then ' or missing' else '' end
        else '[' || regexp_replace(cast(lower.number as varchar), '\.?0+$', '') || ', '
            || regexp_replace(cast(upper.number as varchar), '\.?0+$', '') || ')'
    end as text
from (
    select
        unnest($firsts) as first,
        unnest($lasts) as last
) as interval
join "table" as lower
    on lower.code = interval.first
join "table" as final
    on final.code = interval.last - 1
left join "table" as upper
    on upper.code = interval.last
