-- Offers accepted as mergers, no two with the same class: of all offers with a class in common, the offer with the
-- lowest rank is accepted. A large partner gives stubs (k minus the seeker's rows) to several seekers, as long as each
-- time it has at least 2k rows together with the seeker (Definition 14).
--
-- k       the smallest allowed number of rows of a class
-- offers  the remaining offers
--
-- One row per accepted offer.
select offer.*
from (
    select
        *,
        sum(taken) over (partition by partner, whole order by rank) - taken as given
    from {offers}
) as offer
join (
    select
        class,
        min(rank) as first,
        min(rank) filter (where whole) as first_whole
    from (
        select id as class, rank, whole from {offers}
        union all
        select partner, rank, whole from {offers}
    )
    group by class
) as meeting
    on meeting.class = offer.partner
where (
    case
        when offer.whole then meeting.first = offer.rank
        else coalesce(meeting.first_whole > offer.rank, true)
            and offer.other_frequency - offer.given + offer.frequency - {k} >= {k}
    end
)
and not exists (
    select 1
    from {offers} as earlier
    where earlier.partner = offer.id
        and earlier.rank < offer.rank
)
