-- A table masked as another one was.
--
-- cells     the number of a row, and one #cell per quasi-identifier
-- source    the table
-- masks     one #mask per quasi-identifier
-- covered   #covered if the release left rows out, or nothing
-- position  the number of a row
--
-- One row per row of the table that is not suppressed, in order.
select
    {cells}
from {source} as source
{masks}
{covered}
order by source.{position}

-- section: mask
-- The join of a value with its masked value.
--
-- mask    #applied or #applied_intervals
-- column  the value
left join {mask}
    on {mask}.value is not distinct from {column}

-- section: cell
-- The masked value of a value: the top for a value without a leaf in the hierarchy.
--
-- mask  #applied or #applied_intervals
-- top   the text of the top
case when {mask}.is_leaf then {mask}.cell else {top} end

-- section: covered
-- Drops rows whose values at the highest levels together occur in no row of the release: `suppression` suppressed such
-- rows in the table used for the masking.
--
-- tops     one #top_of per quasi-identifier with a highest level set by the job
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
-- The text of a value at the highest level.
--
-- mask  #applied
{mask}.top

-- section: released
-- The join of a value of the release with its text there.
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
-- Masked values of a hierarchy by a masking made on another table.
--
-- $levels  the level of each masked value
-- $texts   its text
-- places   one #place per level
-- top      the text of the top, or the column of a set top, with possibly several values
-- members  the hierarchy's members over the values
--
-- One row per value: the masked value above it, the lowest of several; the top without one, as for a value that was not
-- present to be disclosed. `top` is the text of the value at the top.
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
-- A value of a hierarchy: its level, and its text. A value of another level may have the same text.
--
-- at     the level
-- value  its text
row({at}, {value})

-- section: applied_intervals
-- Masked values of numbers by a masking made on another table.
--
-- $lowers   the lower end of each interval, as text, or missing
-- $uppers   the upper end
-- $texts    its text
-- $missing  the masked form of the missing value, or missing
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
-- The text of a hierarchy's top.
--
-- level    its last level
-- members  the hierarchy's members
--
-- One row.
select coalesce(max({level}), '*') as top
from {members}
