-- The first of the next steps that may find another state than now, because of what an earlier one of them forms: where
-- that takes part itself, is as near as the nearest, is what the step would choose, or joins a class of its values.
--
-- $seed      the seed
-- small      #small, or search/kaca/offers#always where that is not known from the rows alone
-- distances  search/kaca/distances of the steps from what earlier ones form
-- steps      search/kaca/steps
-- formed     search/kaca/formed of the steps
-- values     word_1, …, marks_1, …
-- classes    the classes
--
-- One row: none where all of them find the state that is now.
select min(step) as step
from (
    select step.rank as step
    from (
        {distances}
    ) as near
    join {steps} as step using (id)
    where near.distance <= step.distance
    union all
    select later.rank
    from {steps} as later
    join {formed} as earlier
        on earlier.rank < later.rank
    where later.id in (earlier.id, earlier.partner)
        or later.partner in (earlier.id, earlier.partner)
        or {small}
        and hash($seed, later.rank, earlier.id) <= hash($seed, later.rank, later.id)
    union all
    select earlier.rank + 1
    from {formed} as earlier
    join (
        select id, {values} from {classes}
        union all
        select id, {values} from {formed}
    ) as class using ({values})
    where class.id <> earlier.id
)

-- section: small
-- That what an earlier step forms is small, so that a later one may choose it.
--
-- k  the smallest allowed class
earlier.frequency + earlier.upper - earlier.lower < {k}
