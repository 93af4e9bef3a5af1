-- The final generalization of KACA2 (Algorithm 2, line 7): every value below its attribute's level is raised to it.
--
-- levels   the level each value goes to, as level_1, level_2, …
-- nodes    one kaca/raised_node per attribute, as node_1, node_2, …
-- values   one kaca/raised_value per column
-- climbed  how far the new values are from the leaves
-- same     node_1, node_2, …
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
        {nodes},
        {values},
        {climbed} as climbed
    from (
        select
            *,
            {levels}
        from {classes}
    )
)
