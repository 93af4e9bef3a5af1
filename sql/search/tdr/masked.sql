-- A table masked as another one was.
--
-- cells     the number of a row, and one #cell per quasi-identifier
-- source    the table
-- masks     one #mask per quasi-identifier
-- covered   #covered if the release left rows out, or nothing
-- position  the number of a row
--
-- One row per row of the table that is not left out, in order.
select
    {cells}
from {source} as source
{masks}
{covered}
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

-- section: covered
-- Leaves out rows whose values at the highest levels together are of no row of the release: of such rows, `suppression`
-- left out those of the table that the masking was learnt on.
--
-- tops     one #top_of per quasi-identifier with a highest level that the job sets
-- tuples   `tuples` of the release's recoding
-- members  one #released per such quasi-identifier
-- same     one #same_top per such quasi-identifier
semi join (
    select
        {tops}
    from {tuples} as tuples
    {members}
) as released
    on {same}

-- section: top_of
-- What a value reads at the highest level.
--
-- mask  #applied
{mask}.top

-- section: released
-- A value of the release finds what it reads there.
--
-- mask   #applied
-- value  its column of `tuples`
join {mask}
    on cast({mask}.value as varchar) is not distinct from tuples.{value}

-- section: same_top
-- A row reads at the highest level as a row of the release does.
--
-- mask  #applied
-- top   its column of `released`
{mask}.top is not distinct from released.{top}

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
-- was not there to be disclosed. `top` is what the value reads at the top.
select
    true as is_leaf,
    value,
    case when masked is null then top else masked[2] end as cell,
    top
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

-- section: rows
-- How many rows a table has.
--
-- source  the table
--
-- One row.
select count(*) as counted
from {source}
