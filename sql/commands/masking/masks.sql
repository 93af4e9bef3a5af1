-- What becomes of other rows by an earlier release's recoding. A tuple that was there goes to its class, to the
-- coarsest one where it was split; another one to the class that covers it and loses least. What no class covers waits.
--
-- base     the base frequency set of the other rows
-- tuples   releases/recodings/tuples
-- classes  releases/recodings/classes
-- seen     one #seen per attribute
-- losses   one #loss per attribute, of which the sum counts
-- shares   one #share per attribute
-- covered  one #covered per attribute
-- values   value_1, value_2, …
-- chosen   the values of what is chosen: one #chosen per attribute
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
-- The share of an attribute's other values that a cell covers.
--
-- share  the name of the attribute's shares
{share}.loss

-- section: share
-- The cells of an attribute with the shares of its other values that they cover.
--
-- share    a name for it
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
-- Classes that cover a tuple in one attribute.
--
-- covers  commands/masking/covers of the attribute
-- value   its column of the tuples
-- cell    its column of the classes
join {covers}
    on {covers}.value is not distinct from cast(base.{value} as varchar)
join weighed
    on weighed.{cell} is not distinct from {covers}.cell

-- section: covered
-- Of these classes, those that cover it in another attribute, too.
--
-- covers  commands/masking/covers of the attribute
-- value   its column of the tuples
-- cell    its column of the classes
join {covers}
    on {covers}.value is not distinct from cast(base.{value} as varchar)
    and {covers}.cell is not distinct from weighed.{cell}
