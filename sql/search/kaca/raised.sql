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
