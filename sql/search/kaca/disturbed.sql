-- Mergers with another outcome if the mergers of a round were performed one after another, in the order of their rank.
-- There are two cases. First, a class formed by an earlier merger is nearer to the seeker than its partner. Second,
-- such a class has the same values as the seeker, or as a partner merged with all of its rows: both are then one class
-- (Definition 2). A partner that gives only a stub may gain rows: its distance stays the same.
--
-- distances  search/kaca/distances of seekers from classes formed by earlier mergers
-- mergers    the accepted mergers of a round (search/kaca/accepted)
-- formed     search/kaca/formed of the mergers
-- values     value_1, value_2, …
-- classes    the equivalence classes so far
--
-- One row per such merger: the id of its seeker.
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
-- Delete these mergers from the round; their seekers remain for the next round.
--
-- mergers    the accepted mergers of a round (search/kaca/accepted)
-- disturbed  search/kaca/disturbed
delete from {mergers}
where id in (
    {disturbed}
)
