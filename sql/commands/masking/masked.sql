-- Other rows masked as an earlier release was, without those that wait. They are ordered by what leaves alone: by their
-- raw cells, their order would tell these.
--
-- columns  the released columns, or those of a data frame with what numbers its rows
-- source   the rows
-- masks    commands/masking/masks
-- classes  releases/recodings/classes
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

-- section: tuples
-- What became of the tuples of other rows, as releases/recodings/recoded has it of a release's own.
--
-- values  the tuple as texts, as value_1, value_2, …
-- cells   what it reads masked, as cell_1, cell_2, …
-- base    the base frequency set of the other rows
-- masks   #classes, or one search/tdr/masked#mask per quasi-identifier
--
-- One row per tuple that does not wait.
select
    {values},
    {cells},
    cast(base.frequency as bigint) as rows,
    cast(0 as bigint) as lower,
    cast(base.frequency as bigint) as total
from {base} as base
{masks}

-- section: classes
-- A tuple finds the class that masks it.
--
-- masks    commands/masking/masks
-- classes  releases/recodings/classes
-- match    one star/recoding/recode#same per attribute
join {masks} as masks
    on {match}
join {classes} as classes
    on classes.class = masks.class
