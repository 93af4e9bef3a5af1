-- The class that each merger forms: the closest common generalization (Definition 8).
--
-- met      one search/kaca/values#met per word, as met_1, met_2, …, and what the partner carries
-- common   the levels at which the two meet, as common_1, common_2, …
-- levels   these, as level_1, level_2, …
-- values   the words of digits and of marks at these levels, and what each of the two carries
-- climbed  how far the new values are from the leaves
-- mergers  the mergers
-- classes  the classes
--
-- One row per merger; the rows from lower to upper of the partner go along.
select
    id,
    partner,
    rank,
    frequency,
    upper - taken as lower,
    upper,
    {levels},
    {values},
    {climbed} as climbed
from (
    select
        *,
        {common}
    from (
        select
            seeker.*,
            merger.partner,
            merger.rank,
            merger.taken,
            cast(sum(merger.taken) over (partition by merger.partner order by merger.rank) as bigint) as upper,
            {met}
        from {mergers} as merger
        join {classes} as seeker
            on seeker.id = merger.id
        join {classes} as other
            on other.id = merger.partner
    )
)
