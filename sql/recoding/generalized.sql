-- The generalized tuples of a recoding, as the release shows them.
--
-- cells     one recoding/cell per attribute, as cell_1, cell_2, …
-- recoding  the recoding
-- members   one recoding/member per attribute
--
-- One row per row of the recoding that is released.
select
    {cells},
    recoding.frequency as frequency
from {recoding} as recoding
{members}
where not recoding.suppressed
