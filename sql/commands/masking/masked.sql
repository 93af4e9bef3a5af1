-- New rows masked by an earlier release's recoding. Rows covered by no class of that release wait: they are left out.
-- The order depends on released cells alone, because an order by raw cells would reveal the raw cells.
--
-- columns  the released columns, or those of a data frame with the number of its rows
-- source   the rows
-- masks    commands/masking/masks
-- classes  releases/recodings/classes
-- match    one store/same per attribute
-- order    the number of a data frame's rows, or star/recoding/recode#shuffled
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
-- The recoding of the tuples of new rows, with the columns of releases/recodings/recoded.
--
-- values  the tuple as texts, as value_1, value_2, …
-- cells   its masked cells, as cell_1, cell_2, …
-- base    the base frequency set of the new rows
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
-- Join of a tuple with its class of the earlier release; the class's cells mask the tuple.
--
-- masks    commands/masking/masks
-- classes  releases/recodings/classes
-- match    one store/same per attribute
join {masks} as masks
    on {match}
join {classes} as classes
    on classes.class = masks.class

-- section: null_occurs
-- True if any value of new rows has a text that means a missing cell in the CSV file of the job.
--
-- $nulls  the texts
-- value   the column of the values
-- base    the base frequency set of the new rows
--
-- One row.
select count(*) > 0 as null_occurs
from {base}
where list_contains($nulls, cast({value} as varchar))
