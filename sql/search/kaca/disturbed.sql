-- The mergers that would find another state, if all took place one after another, than at the start of the round: a
-- class formed earlier is nearer, or has the values of the seeker or of a partner taken whole, and is then one with it
-- (Definition 2). A partner that gives a stub is as near with more rows.
--
-- distances  search/kaca/distances of later seekers from the classes formed by earlier mergers
-- mergers    the mergers
-- formed     search/kaca/formed of the mergers
-- values     value_1, value_2, …
-- classes    the classes
--
-- One row per merger.
select near.id
from (
    {distances}
) as near
join {mergers} as merger using (id)
where near.distance < merger.distance
union
select merger.id
from {mergers} as merger
join {classes} as class
    on class.id = merger.id
    or merger.whole
    and class.id = merger.partner
join {formed} as earlier using ({values})
where earlier.rank < merger.rank

-- section: leave
-- These mergers wait for another round.
--
-- mergers    the mergers
-- disturbed  search/kaca/disturbed
delete from {mergers}
where id in (
    {disturbed}
)
