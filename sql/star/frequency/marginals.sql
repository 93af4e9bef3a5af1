-- The frequency sets of the attributes alone, and the number of combinations of all of them, counted in the source's
-- database.
--
-- names   value_1, value_2, …, apart_1, apart_2, …
-- values  one #value per quasi-identifier, as value_1, value_2, …
-- apart   one #apart per quasi-identifier, as apart_1, apart_2, …
-- source  the source
-- sets    one #set per quasi-identifier, and one of all of them if there are several
--
-- One row per attribute and value, a missing one included, with its frequency; values of the other attributes are null.
-- One row for all attributes together, with the number of combinations as groups.
select
    {names},
    cast(count(*) as bigint) as groups,
    cast(sum(frequency) as bigint) as frequency
from (
    select
        {values},
        {apart},
        count(*) as frequency
    from {source} as source
    group by grouping sets ({sets})
) as grouped
group by {names}

-- section: value
-- A value of an attribute alone.
--
-- together  #apart of all quasi-identifiers, one added to the other
-- column    the quasi-identifier
case when {together} = 0 then null else {column} end

-- section: apart
-- 0 for a row of this attribute, 1 for a row of another one alone.
--
-- column  the quasi-identifier
cast(grouping({column}) as bigint)

-- section: set
-- The attributes of a set.
--
-- columns  the quasi-identifiers
({columns})

-- section: of
-- The frequency set of one attribute alone. No kept cell was read.
--
-- value      its column
-- apart      the column that marks the attribute of a row
-- together   all of these, one added to the other
-- others     how many other attributes there are
-- marginals  star/frequency/marginals
--
-- One row per value. sum(frequency) is the number of rows.
select
    {value},
    frequency,
    cast(0 as bigint) as checksum
from {marginals}
where {apart} = 0
    and {together} = {others}

-- section: combinations
-- Number of combinations of all attributes.
--
-- together   the columns that mark the attribute of a row, one added to the other
-- marginals  star/frequency/marginals
--
-- One row.
select cast(sum(groups) as bigint) as combinations
from {marginals}
where {together} = 0
