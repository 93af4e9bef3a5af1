-- Other rows masked as an earlier release was, without those that wait. They are ordered by what leaves alone: by their
-- raw cells, their order would tell these.
--
-- columns  the released columns, or those of a data frame with what numbers its rows
-- source   the rows
-- masks    releases/earlier/masks
-- classes  releases/earlier/classes
-- match    one star/recoding/recode#same per attribute
-- order    what numbers the rows of a data frame, or star/recoding/recode#shuffled
--
-- One row per row that does not wait.
select *
from (
    select
        {columns}
    from {source} as source
    join {masks} as masks
        on {match}
    join {classes} as classes
        on classes.class = masks.class
) as masked
order by {order}
