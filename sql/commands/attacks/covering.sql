-- Pairs of a person and an equivalence class of the release: the class's cells cover the person's values in all
-- quasi-identifiers.
--
-- people   commands/attacks/people#attacked
-- classes  commands/attacks/released#classes
-- covered  commands/masking/masks#first for one quasi-identifier, then commands/masking/masks#covered for each further
--          quasi-identifier
--
-- One row per person and class.
with weighed as (
    select *
    from {classes}
)
select
    base.number,
    weighed.class
from {people} as base
{covered}

-- section: alone
-- Number of people in the released half without a class covering them; above 0 only if their rows are suppressed.
--
-- people    commands/attacks/people#attacked
-- covering  commands/attacks/covering
--
-- One row.
select count(*)
from {people} as people
where not held_out
    and not exists (
        select 1
        from {covering} as covering
        where covering.number = people.number
    )

-- section: nearest
-- Pairs of a person covered by no class in all quasi-identifiers, and a class covering the largest number of the
-- person's quasi-identifiers.
--
-- people    commands/attacks/people#attacked
-- covering  commands/attacks/covering
-- classes   commands/attacks/released#classes
-- covered   the sum of one #covered per quasi-identifier
-- cells     one #cells per quasi-identifier
--
-- One row per person and class.
select
    number,
    class
from (
    select
        base.number,
        weighed.class,
        {covered} as covered
    from (
        select *
        from {people} as people
        where not exists (
            select 1
            from {covering} as covering
            where covering.number = people.number
        )
    ) as base
    cross join {classes} as weighed
    {cells}
) as nearest
qualify rank() over (partition by number order by covered desc) = 1

-- section: covered
-- 1 if a class's cell covers a person's value in one quasi-identifier, else 0.
--
-- covers  the alias of the joined cells
case when {covers}.is_covered then 1 else 0 end

-- section: cells
-- Join of people (base) and classes (weighed): is_covered is true if the class's cell of a quasi-identifier covers the
-- person's value.
--
-- known   the alias of the joined cells
-- covers  commands/masking/covers of the attribute
-- value   the attribute's column of the people
-- cell    the attribute's column of the classes
left join (
    select
        *,
        true as is_covered
    from {covers}
) as {known}
    on {known}.value is not distinct from cast(base.{value} as varchar)
    and {known}.cell is not distinct from weighed.{cell}
