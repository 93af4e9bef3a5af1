-- The tuples of the star suppressed before a search: their value groups at the job's highest levels violate the
-- requirement.
--
-- star    the star: the base frequency set with codes in place of values
-- beyond  star/recoding/full_domain#rare: the tuple's value group is suppressed
--
-- One row per suppressed row of the star.
select *
from {star}
where {beyond}

-- section: within
-- The tuples of the star that are not suppressed before a search.
--
-- star    the star: the base frequency set with codes in place of values
-- beyond  star/recoding/full_domain#rare: the tuple's value group is suppressed
--
-- One row per row of the star that is not suppressed.
select *
from {star}
where not {beyond}

-- section: recoded
-- A recoding with the tuples suppressed before the search added to it, marked as suppressed.
--
-- recoding  the recoding, possibly with some of the suppressed tuples already
-- codes     the leaf columns of the star, as code_1, code_2, …
-- levels    one star/recoding/full_domain#level per attribute, as level_1, level_2, …
-- star      the suppressed tuples
-- leaves    one star/recoding/recode#match per attribute: a row of the recoding has the codes of the suppressed tuple
--
-- One row per row of the recoding, and per suppressed tuple absent from the recoding.
select *
from {recoding}
union all by name
select
    {codes},
    {levels},
    star.frequency,
    true as suppressed
from {star} as star
where not exists (
    select 1
    from {recoding} as recoding
    where {leaves}
)
