-- A table masked by the masked values of a release of another table.
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
-- The join of a quasi-identifier's cells with their masked values.
--
-- mask    #applied or #applied_intervals
-- column  the column of the cells
left join {mask}
    on {mask}.value is not distinct from {column}

-- section: cell
-- The masked value of a cell: the top if the cell's value is no leaf of the hierarchy.
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
-- The join of a value in the release with its text at the highest level.
--
-- mask   #applied
-- value  the column of the value in `tuples`
join {mask}
    on cast({mask}.value as varchar) is not distinct from tuples.{value}

-- section: same_top
-- The condition that a row and a row of the release have the same text at the highest level of an attribute.
--
-- mask  #applied
-- top   the column of the text in `released`
{mask}.top is not distinct from released.{top}

-- section: applied
-- The masked value of each value of a hierarchy, by the masked values of a release of another table.
--
-- $levels  the level of each masked value
-- $texts   the text of each masked value
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
-- The interval of each number, by the intervals of a release of another table.
--
-- $lowers   the lower end of each interval, as text, or missing
-- $uppers   the upper end of each interval, as text, or missing
-- $texts    the text of each interval
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
-- level    the hierarchy's last level
-- members  the members of the hierarchy: each leaf with its texts at every level
--
-- One row.
select coalesce(max({level}), '*') as top
from {members}
