-- Pairs of a value and a covering cell, for one attribute: values are of new rows, cells of an earlier release. A cell
-- covers a value if the cell is the value's text at some level of the hierarchy, or a range containing the number.
--
-- members   the members of the attribute's hierarchy
-- levels    level_0, level_1, …
-- leafless  #leafless, or nothing if a job keeps values below the top
-- cell      the attribute's column of the classes
-- classes   releases/recodings/classes
-- ranged    #ranged if the attribute is numeric
--
-- One row per value (as a text) and cell.
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
-- Values without a leaf in the hierarchy, with the text of the hierarchy's top: only the top covers them.
--
-- top      the text of the top
-- values   the attribute's values: the column value, unchanged from the source
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
-- Pairs of a value and a cell of the earlier release: the cell is a range of numbers containing the value.
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
-- The values of an attribute to be covered: values of new rows, and raw values recoded by an earlier release.
--
-- value    the attribute's column of the new rows
-- base     the base frequency set of the new rows
-- earlier  the attribute's column of the earlier tuples
-- type     the attribute's type
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
-- The text of a hierarchy's top level.
--
-- level    the top level's column
-- members  the members
--
-- One row.
select max({level}) as top
from {members}
