-- The class that each merger forms: the closest common generalization (Definition 8).
--
-- common   one kaca/common_level per attribute, as common_1, common_2, …
-- levels   these, as level_1, level_2, …
-- paths    one kaca/raised_path per attribute, as path_1, path_2, …
-- climbed  how far the new values are from the leaves
-- mergers  the mergers
-- classes  the classes
--
-- One row per merger; the rows from lower to upper of the partner go along.
select
    id,
    partner,
    frequency,
    upper - taken as lower,
    upper,
    {levels},
    {paths},
    {climbed} as climbed
from (
    select
        seeker.*,
        merger.partner,
        merger.taken,
        cast(sum(merger.taken) over (partition by merger.partner order by merger.rank) as bigint) as upper,
        {common}
    from {mergers} as merger
    join {classes} as seeker
        on seeker.id = merger.id
    join {classes} as other
        on other.id = merger.partner
)
