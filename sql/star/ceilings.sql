-- The tuples of the star suppressed before a search with their value group at the highest levels.
--
-- star    the star
-- beyond  star/recoding/full_domain#rare: the tuple's value group is suppressed
--
-- One row per suppressed row of the star.
select *
from {star}
where {beyond}

-- section: within
-- The tuples of the star that are not suppressed before a search.
--
-- star    the star
-- beyond  star/recoding/full_domain#rare: the tuple's value group is suppressed
--
-- One row per row of the star that is not suppressed.
select *
from {star}
where not {beyond}

-- section: recoded
-- A recoding, completed by the tuples that were suppressed before the search. A suppressed cell keeps its level.
--
-- recoding  the recoding, possibly with some of these tuples already
-- codes     the leaf columns of the star, as code_1, code_2, …
-- levels    one star/recoding/full_domain#level per attribute, as level_1, level_2, …
-- star      the suppressed tuples
-- leaves    one star/recoding/recode#match per attribute: a row of the recoding is of the suppressed tuple
--
-- One row per row of the recoding, and per tuple missing from it.
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
