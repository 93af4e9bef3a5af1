-- A local recoding: every tuple with the levels of each class that has rows of it. Rows with the id of a deleted class
-- are suppressed.
--
-- codes    code_1, code_2, …, and carried columns
-- levels   the classes' levels, as level_1, level_2, …
-- tuples   search/kaca/tuples
-- shares   the number of rows of each tuple in each class (search/kaca/tuples#shares)
-- classes  the equivalence classes so far
--
-- One row per tuple and class. sum(frequency) equals the sum over the star.
select
    {codes},
    {levels},
    share.frequency,
    class.id is null as suppressed
from {shares} as share
join {tuples} as tuple using (tuple)
left join {classes} as class
    on class.id = share.class

-- section: level
-- A cell's level in the recoding: the level of its class; 0 in a suppressed row.
--
-- level  the level of its class
cast(coalesce({level}, 0) as utinyint)
