-- The star (fact table): the base frequency set with the codes of every value's ancestors in place of the value.
--
-- levels      the level columns, such as zip_2, sex_0
-- base        the base frequency set: number of rows per combination of values
-- dimensions  one #join per attribute
--
-- One row per row of the base frequency set. sum(frequency) is the number of rows of the source, and sum(checksum)
-- covers their kept cells.
select
    {levels},
    base.frequency,
    base.checksum
from {base} as base
{dimensions}

-- section: grouped
-- A star with equal tuples merged: several values may have the same code at the lowest level.
--
-- levels   the level columns, such as zip_2, sex_0
-- merged   star/frequency/rollup#counted, and one privacy/aggregates#merged per carried sensitive attribute
-- star     the star: the base frequency set with codes in place of values
--
-- One row per tuple.
select
    {levels},
    {merged},
    sum(checksum) as checksum
from {star}
group by all

-- section: join
-- The join of the base frequency set with a dimension table. The missing value has a member in the table.
--
-- table  the dimension table of the attribute: codes and texts at every level
-- value  the attribute's column of the base frequency set
join (select * from {table} where present) as {table}
    on {table}.value is not distinct from base.{value}

-- section: missing
-- True, for each quasi-identifier, if the source has rows without a value of it.
--
-- missing  one #without per attribute
-- base     the base frequency set: number of rows per combination of values
--
-- One row.
select {missing}
from {base}

-- section: without
-- True if one of the rows has no value of a quasi-identifier.
--
-- value  the quasi-identifier's column
bool_or({value} is null)
