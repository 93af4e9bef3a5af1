-- The frequency set of each attribute alone, and the number of distinct combinations of all attributes, counted in the
-- source's database.
--
-- names   value_1, value_2, …, apart_1, apart_2, …
-- values  one #value per quasi-identifier, as value_1, value_2, …
-- apart   one #apart per quasi-identifier, as apart_1, apart_2, …
-- source  the source
-- sets    one #set per quasi-identifier, and one #set of all quasi-identifiers if there are several
--
-- One row per attribute and value (NULL included) with the value's frequency; the other attributes are null. And one
-- row for all attributes together: its column groups is the number of combinations.
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
-- The value of an attribute in a row of its own frequency set; null in the row of all attributes together.
--
-- together  the sum of #apart of all quasi-identifiers; 0 in the grouping set of all attributes
-- column    the quasi-identifier
case when {together} = 0 then null else {column} end

-- section: apart
-- 0 in grouping sets with this attribute (its own, and that of all attributes); 1 in the set of another attribute.
--
-- column  the quasi-identifier
cast(grouping({column}) as bigint)

-- section: set
-- A grouping set.
--
-- columns  the quasi-identifiers of the grouping set
({columns})

-- section: of
-- The frequency set of one attribute alone. The checksum is 0, as no kept cell was read.
--
-- value      the attribute's column
-- apart      the attribute's column from #apart: 0 in rows of this attribute
-- together   the sum of the #apart columns of all attributes
-- others     the number of other attributes
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
-- Number of distinct combinations of all attributes.
--
-- together   the sum of the #apart columns of all attributes; 0 in the row of all attributes together
-- marginals  star/frequency/marginals
--
-- One row.
select cast(sum(groups) as bigint) as combinations
from {marginals}
where {together} = 0
