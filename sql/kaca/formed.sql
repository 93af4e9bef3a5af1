-- The class that each merger forms: the closest common generalization (Definition 8).
--
-- levels   one kaca/common per attribute that yields a level, as level_1, level_2, …
-- nodes    one kaca/raised_node per attribute, as node_1, node_2, …
-- values   one kaca/raised_value per column
-- climbed  how far the new values are from the leaves
-- mergers  the mergers
-- classes  the classes
--
-- One row per merger; the rows from lower to upper of the partner go along.
select
    id,
    partner,
    frequency,
    lower,
    upper,
    {nodes},
    {values},
    {climbed} as climbed
from (
    select
        seeker.*,
        merger.partner,
        cast(sum(merger.taken) over (partition by merger.partner order by merger.rank) - merger.taken as bigint) as lower,
        cast(sum(merger.taken) over (partition by merger.partner order by merger.rank) as bigint) as upper,
        {levels}
    from {mergers} as merger
    join {classes} as seeker
        on seeker.id = merger.id
    join {classes} as other
        on other.id = merger.partner
)
