-- The tuples of the star that are left out before a search, as their value group at the highest levels is.
--
-- star    the star
-- beyond  star/recoding/full_domain#rare: the tuple's value group is left out
--
-- One row per row of the star that is left out.
select *
from {star}
where {beyond}

-- section: within
-- The other tuples.
--
-- star    the star
-- beyond  star/recoding/full_domain#rare: the tuple's value group is left out
--
-- One row per row of the star that is not left out.
select *
from {star}
where not {beyond}

-- section: recoded
-- A recoding with the tuples that were left out before its search, as rows that are suppressed. A cell that is left out
-- stays as it is.
--
-- recoding  the recoding, which may have them already
-- codes     the leaf columns of the star, as code_1, code_2, …
-- levels    one star/recoding/full_domain#level per attribute, as level_1, level_2, …
-- star      the tuples that were left out
-- leaves    one star/recoding/recode#match per attribute: a row of the recoding is of that tuple
--
-- One row per row of the recoding, and per tuple that it lacks.
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
