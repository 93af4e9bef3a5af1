-- A single-dimension recoding: every tuple with the levels of its values, each by itself.
--
-- codes       the leaf columns of the star, as code_1, code_2, …
-- levels      the dimension tables' levels, as level_1, level_2, …
-- suppressed  star/recoding/full_domain#rare, or star/recoding/full_domain#none_rare if no tuple is suppressed
-- star        the star
-- members     one #member per attribute
--
-- One row per row of the star.
select
    {codes},
    {levels},
    star.frequency,
    star.checksum,
    {suppressed} as suppressed
from {star} as star
{members}

-- section: member
-- A tuple's member in a dimension table.
--
-- table  the dimension table
-- code   the tuple's code
join {table}
    on {table}.code = {code}
