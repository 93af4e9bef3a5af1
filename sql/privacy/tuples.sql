-- The tuples of the base frequency set, where it tells sensitive values apart, too: each with what it carries of them.
--
-- values   value_1, value_2, …, and the class where it is told apart
-- carried  one privacy/held per sensitive attribute
-- base     the base frequency set
-- codes    one privacy/coded per sensitive attribute
--
-- One row per tuple. sum(frequency) and sum(checksum) are those of the base frequency set.
select
    {values},
    sum(base.checksum) as checksum,
    cast(sum(base.frequency) as bigint) as frequency,
    {carried}
from {base} as base
{codes}
group by {values}
