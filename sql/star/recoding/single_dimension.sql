-- A single-dimension recoding: every tuple with the level of each of its values, from the dimension tables.
--
-- codes       the leaf columns of the star, as code_1, code_2, …
-- levels      the columns level of the dimension tables, as level_1, level_2, …
-- suppressed  star/recoding/full_domain#rare, or star/recoding/full_domain#none_rare if no tuple is suppressed
-- star        the star: the base frequency set with codes in place of values
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
-- The join of a tuple with a dimension table, by the leaf code.
--
-- table  the dimension table of the attribute: codes and texts at every level
-- code   the tuple's column with the code
join {table}
    on {table}.code = {code}
