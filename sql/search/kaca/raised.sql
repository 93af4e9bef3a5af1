-- The final generalization of KACA2 (Algorithm 2, line 7): every value below its attribute's level is raised to it.
--
-- common   one #level per attribute, as common_1, common_2, …
-- levels   these, as level_1, level_2, …
-- values   the words of digits and of marks at these levels, and what is carried
-- climbed  how far the new values are from the leaves
-- same     word_1, …, marks_1, …
-- classes  the classes
--
-- One piece per class, with the class it goes to.
select
    *,
    min(owner) over (partition by {same}) as target
from (
    select
        id as source,
        id as owner,
        0 as lower,
        frequency as upper,
        {levels},
        {values},
        {climbed} as climbed
    from (
        select
            *,
            {common}
        from {classes}
    )
)

-- section: level
-- A value's level, at least the one given.
--
-- own    the value's level
-- level  the level
greatest({own}, {level})

-- section: level_rows
-- How the values of one attribute are spread over the levels (Definition 12).
--
-- dimension  the attribute's position
-- level      its level column
-- classes    the classes
--
-- One row per level that has values.
select
    {dimension} as dimension,
    {level} as level,
    cast(sum(frequency) as bigint) as rows
from {classes}
group by all

-- section: rare
-- Lemma 4 (Li, Wong, Fu, Pei 2008): the rows whose value of one attribute, generalized globally to one level, is too
-- rare to satisfy the requirement. As a share of all rows they are the lower bound of the generalization portion.
--
-- value      the attribute's column of the star at that level
-- merged     star/frequency/rollup#counted, and one privacy/carried#merged per sensitive attribute that is carried
-- violating  the condition that a group violates the requirement
-- star       the star
--
-- One row.
select cast(coalesce(sum(frequency), 0) as bigint) as rows
from (
    select
        {merged}
    from {star}
    group by {value}
)
where {violating}
