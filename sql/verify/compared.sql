-- The classes of a release, and the values of its source as rows of no class.
--
-- classes  classes over columns read by models: value_1, value_2, …, size
-- source   the values of sensitive attributes in the source: the same columns, without others, and size
--
-- One row per class, with no rows everywhere; and one per values of the source, with no rows of a class.
select
    *,
    cast(0 as bigint) as everywhere
from {classes}
union all by name
select
    * exclude (size),
    cast(0 as bigint) as size,
    size as everywhere
from {source}

-- section: cells
-- The sensitive values of the source.
--
-- cells   the columns
-- source  the source
--
-- One row per row of it.
select {cells}
from {source} as source

-- section: strange
-- The values of a release absent from its source.
--
-- sensitive  the sensitive attribute
-- compared   verify/compared
--
-- One row: how many there are.
select count(*)
from (
    select 1
    from {compared}
    group by {sensitive}
    having sum(everywhere) = 0
)
