-- The offers between classes that no accepted merger touches.
--
-- offers  the offers before
-- taken   the mergers so far
--
-- One row per offer.
select offer.*
from {offers} as offer
where not exists (
    select 1
    from (
        select id as class from {taken}
        union all
        select partner from {taken}
    ) as touched
    where touched.class in (offer.id, offer.partner)
)
