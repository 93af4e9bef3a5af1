-- A local recoding: every tuple with the levels of its rows' classes. A tuple occurs once for each of them. Rows in no
-- class are suppressed.
--
-- codes    code_1, code_2, …, and carried columns
-- levels   the classes' levels, as level_1, level_2, …
-- tuples   search/kaca/tuples
-- shares   the shares
-- classes  the classes
--
-- One row per tuple and class. sum(frequency) is that of the star.
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
-- A cell's level in the recoding; a suppressed one keeps its own.
--
-- level  the level of its class
cast(coalesce({level}, 0) as utinyint)
