-- Cells of an earlier release's attribute covering values of other rows: a value's texts at all levels, and ranges
-- containing its number.
--
-- members   the members of its hierarchy
-- levels    level_0, level_1, …
-- leafless  #leafless, or nothing if a job keeps values below the top
-- cell      the attribute's column of the classes
-- classes   releases/recodings/classes
-- ranged    #ranged if the attribute is numeric
--
-- One row per text of a value and cell.
with
known as (
    select distinct {cell} as cell
    from {classes}
),
reads as (
    select
        cast(member.value as varchar) as value,
        unnest([{levels}]) as read
    from {members} as member
    where member.present
    {leafless}
)
select distinct
    reads.value,
    known.cell
from reads
join known
    on known.cell is not distinct from reads.read
{ranged}

-- section: leafless
-- A value without a leaf is covered by the top alone.
--
-- top      the text of the top
-- values   the attribute's values: value, as the source has it
-- members  the members of its hierarchy
union all
select
    cast(found.value as varchar) as value,
    {top} as read
from {values} as found
where not exists (
    select 1
    from {members} as member
    where member.present
        and member.value is not distinct from found.value
)

-- section: ranged
-- The ranges of numbers containing a value.
union
select distinct
    reads.value,
    known.cell
from (
    select
        value,
        try_cast(value as decimal(38, 18)) as number
    from reads
) as reads
join (
    select
        cell,
        regexp_extract(cell, '^(\[|>= )([-0-9.]+)', 2) as low,
        regexp_extract(cell, '(^< |, )([-0-9.]+)\)?$', 2) as high
    from known
    where regexp_full_match(cell, '\[[-0-9.]+, [-0-9.]+\)|< [-0-9.]+|>= [-0-9.]+( or missing)?|any number')
) as known
    on (known.low = '' or reads.number >= try_cast(known.low as decimal(38, 18)))
    and (known.high = '' or reads.number < try_cast(known.high as decimal(38, 18)))
    and reads.number is not null

-- section: values
-- The values of an attribute: those of other rows, and those generalized by an earlier release.
--
-- value    its column of the other rows
-- base     their base frequency set
-- earlier  its column of the tuples
-- type     its type
-- tuples   releases/recodings/tuples
--
-- One row per value.
select {value} as value
from {base}
union
select try_cast({earlier} as {type}) as value
from {tuples}
where {earlier} is null
    or try_cast({earlier} as {type}) is not null

-- section: top
-- The text of a hierarchy's top.
--
-- level    its column
-- members  the members
--
-- One row.
select max({level}) as top
from {members}
