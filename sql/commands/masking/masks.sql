-- The recoding of other rows by an earlier release's recoding. A tuple of the earlier release goes to its class, or to
-- the coarsest one if it was split; another tuple goes to the covering class with the least loss. A tuple covered by no
-- class waits.
--
-- base     the base frequency set of the other rows
-- tuples   releases/recodings/tuples
-- classes  releases/recodings/classes
-- seen     one #seen per attribute
-- losses   the sum of one #loss per attribute
-- shares   one #share per attribute
-- covered  one #covered per attribute
-- values   value_1, value_2, …
-- chosen   the chosen values: one #chosen per attribute
--
-- One row per tuple that does not wait.
with
weighed as (
    select
        classes.*,
        {losses} as loss
    from {classes} as classes
    {shares}
),
seen as (
    select
        {chosen},
        arg_max(weighed.class, (weighed.loss, weighed.class)) as class
    from {base} as base
    join {tuples} as tuples
        on {seen}
    join weighed
        on weighed.class = tuples.class
    group by {chosen}
),
unseen as (
    select {values}
    from {base}
    except all
    select {values}
    from seen
)
select *
from seen
union all
select
    {chosen},
    arg_min(weighed.class, (weighed.loss, weighed.class)) as class
from unseen as base
{covered}
group by {chosen}

-- section: seen
-- A value of a tuple is one of an earlier release's; the missing value is equal to itself.
--
-- value    its column
-- earlier  its column of the earlier tuples
cast(base.{value} as varchar) is not distinct from tuples.{earlier}

-- section: chosen
-- A value of a tuple.
--
-- value  its column
base.{value}

-- section: loss
-- The share of an attribute's other values covered by a cell.
--
-- share  the name of the attribute's shares
{share}.loss

-- section: share
-- The cells of an attribute with the covered shares of its other values.
--
-- share    the alias of the joined losses
-- covers   commands/masking/covers of the attribute
-- cell     its column of the classes
join (
    select
        cell,
        (count(*) - 1) / greatest(
            (
                select count(distinct coalesce('=' || value, ''))
                from {covers}
            ) - 1,
            1
        ) as loss
    from {covers}
    group by cell
) as {share}
    on {share}.cell is not distinct from classes.{cell}

-- section: first
-- Classes covering a tuple in one attribute.
--
-- covers  commands/masking/covers of the attribute
-- value   its column of the tuples
-- cell    its column of the classes
join {covers}
    on {covers}.value is not distinct from cast(base.{value} as varchar)
join weighed
    on weighed.{cell} is not distinct from {covers}.cell

-- section: covered
-- Those of these classes that cover the tuple in another attribute, too.
--
-- covers  commands/masking/covers of the attribute
-- value   its column of the tuples
-- cell    its column of the classes
join {covers}
    on {covers}.value is not distinct from cast(base.{value} as varchar)
    and {covers}.cell is not distinct from weighed.{cell}
