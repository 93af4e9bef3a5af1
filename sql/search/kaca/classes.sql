-- The equivalence classes that the tuples start in (Li, Wong, Fu, Pei 2008, Definition 2).
--
-- columns  one #any per column of a class, and one privacy/aggregates#merged per sensitive attribute that is carried
-- tuples   search/kaca/tuples
--
-- One row per class. sum(frequency) is that of the tuples.
select
    class as id,
    {columns},
    cast(sum(frequency) as bigint) as frequency
from {tuples}
group by class

-- section: any
-- A column that all rows of a group share.
--
-- column  the column
any_value({column})
