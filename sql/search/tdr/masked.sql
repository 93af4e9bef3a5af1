-- A table masked as another one was.
--
-- cells     the number of a row, and one #cell per quasi-identifier
-- source    the table
-- masks     one #mask per quasi-identifier
-- position  the number of a row
--
-- One row per row of the table, in order.
select
    {cells}
from {source} as source
{masks}
order by source.{position}

-- section: mask
-- A value finds what it becomes.
--
-- mask    #applied or #applied_intervals
-- column  the value
left join {mask}
    on {mask}.value is not distinct from {column}

-- section: cell
-- What a value becomes: the top where it has no leaf in the hierarchy.
--
-- mask  #applied or #applied_intervals
-- top   what the top reads
case when {mask}.is_leaf then {mask}.cell else {top} end

-- section: applied
-- What values of a hierarchy become by a masking that was learnt on another table.
--
-- $levels  the level of each masked value
-- $texts   what it reads
-- places   one #place per level
-- top      what the top reads, or the column of a set top, which may have several values
-- members  the hierarchy's members over the values
--
-- One row per value: the masked value above it, the lowest of several; the top where there is none, as for a value that
-- was not there to be disclosed.
select
    true as is_leaf,
    value,
    case when masked is null then top else masked[2] end as cell
from (
    select
        value,
        {top} as top,
        list_filter([{places}], lambda place: list_contains(list_zip($levels, $texts), place))[1] as masked
    from {members}
    where present
) as member

-- section: place
-- A value of a hierarchy: its level, and what it reads, which one of another level may read as well.
--
-- at     the level
-- value  what it reads
row({at}, {value})

-- section: applied_intervals
-- What numbers become by a masking that was learnt on another table.
--
-- $lowers   the lower end of each interval, as text, or missing
-- $uppers   the upper end
-- $texts    what it reads
-- $missing  what the missing value becomes, or missing
-- members   the numeric members over the values
--
-- One row per value.
select
    true as is_leaf,
    member.value,
    case when member.number is null then $missing else interval.text end as cell
from {members} as member
left join (
    select
        cast(unnest($lowers) as decimal(38, 18)) as lower,
        cast(unnest($uppers) as decimal(38, 18)) as upper,
        unnest($texts) as text
) as interval
    on (interval.lower is null or member.number >= interval.lower)
    and (interval.upper is null or member.number < interval.upper)

-- section: top
-- What the top of a hierarchy reads.
--
-- level    its last level
-- members  the hierarchy's members
--
-- One row.
select coalesce(max({level}), '*') as top
from {members}
