-- The classes of a release by sensitive values, followed by the values of the source, for models that compare a class
-- with the whole source.
--
-- classes  classes over columns read by models: value_1, value_2, …, size
-- source   the values of sensitive attributes in the source: their value columns, and size
--
-- One row per class, with 0 rows of the source; and one row per combination of source values, with 0 rows of a class.
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
-- One row per row of the source.
select {cells}
from {source} as source

-- section: strange
-- Number of sensitive values of a release absent from its source.
--
-- sensitive  the sensitive attribute
-- compared   verify/compared
--
-- One row.
select count(*)
from (
    select 1
    from {compared}
    group by {sensitive}
    having sum(everywhere) = 0
)
