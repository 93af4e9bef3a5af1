-- The initial equivalence classes of the tuples (Li, Wong, Fu, Pei 2008, Definition 2).
--
-- columns  one #any per column of a class, and one privacy/aggregates#merged per carried sensitive attribute
-- tuples   search/kaca/tuples
--
-- One row per class. sum(frequency) equals the sum over the tuples.
select
    class as id,
    {columns},
    cast(sum(frequency) as bigint) as frequency
from {tuples}
group by class

-- section: any
-- A column with the same value in all rows of a group.
--
-- column  the column
any_value({column})
