-- The star: the base frequency set, every value replaced by its code at each level of its dimension.
--
-- levels      the level columns, such as zip_2, sex_0
-- base        the base frequency set
-- dimensions  one star/join per attribute
--
-- One row per row of the base frequency set. sum(frequency) is the number of rows of the source.
select
    {levels},
    base.frequency
from {base} as base
{dimensions}
