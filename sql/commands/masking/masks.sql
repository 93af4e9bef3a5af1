-- The classes of an earlier release for the tuples of new rows. A tuple of the earlier release goes to its class there,
-- or to the class with the most loss if the tuple was split among classes. Any other tuple goes to the covering class
-- with the least loss. A tuple covered by no class waits: it has no row here and is left out of the masked rows.
--
-- base     the base frequency set of the new rows
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
-- Condition: a new tuple and a tuple of the earlier release have the same value of an attribute; missing values are
-- equal.
--
-- value    the attribute's column of the new tuples
-- earlier  the attribute's column of the earlier tuples
cast(base.{value} as varchar) is not distinct from tuples.{earlier}

-- section: chosen
-- A value of a tuple.
--
-- value  the column of the value in the tuples
base.{value}

-- section: loss
-- The loss of a class's cell in one attribute, from 0 to 1: the share of the attribute's other values that it covers.
--
-- share  the name of the attribute's shares
{share}.loss

-- section: share
-- Join of the classes with the loss of their cell in one attribute: (covered values - 1) / (all values - 1).
--
-- share    the alias of the joined losses
-- covers   commands/masking/covers of the attribute
-- cell     the attribute's column of the classes
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
-- Join of tuples (base) with the classes (weighed) covering them in a first attribute.
--
-- covers  commands/masking/covers of the attribute
-- value   the attribute's column of the tuples
-- cell    the attribute's column of the classes
join {covers}
    on {covers}.value is not distinct from cast(base.{value} as varchar)
join weighed
    on weighed.{cell} is not distinct from {covers}.cell

-- section: covered
-- Join behind #first for one more attribute: only classes covering the tuple in this attribute, too, remain.
--
-- covers  commands/masking/covers of the attribute
-- value   the attribute's column of the tuples
-- cell    the attribute's column of the classes
join {covers}
    on {covers}.value is not distinct from cast(base.{value} as varchar)
    and {covers}.cell is not distinct from weighed.{cell}
