-- The class formed by each merger: the closest common generalization (Definition 8).
--
-- levels   the levels of the meeting values, as level_1, level_2, …
-- values   their values there, as value_1, value_2, …, and the carried columns of both
-- climbed  the distance of these values from the leaves
-- mergers  the accepted mergers of a round (search/kaca/accepted)
-- classes  the equivalence classes so far
-- joins    one search/kaca/meetings#by_pair per attribute, or one search/kaca/meetings#by_both
--
-- One row per merger. The partner's rows from number lower to number upper are merged.
select
    seeker.id,
    merger.partner,
    merger.rank,
    seeker.frequency,
    merger.upper - merger.taken as lower,
    merger.upper,
    {levels},
    {values},
    {climbed} as climbed
from (
    select
        *,
        cast(sum(taken) over (partition by partner order by rank) as bigint) as upper
    from {mergers}
) as merger
join {classes} as seeker
    on seeker.id = merger.id
join {classes} as other
    on other.id = merger.partner
{joins}
