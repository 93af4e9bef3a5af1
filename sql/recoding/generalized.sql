-- The generalized tuples of a recoding, as the release shows them.
--
-- cells     one cell per attribute, as cell_1, cell_2, …
-- checksum  recoding.checksum where the recoding has it, else 0
-- recoding  the recoding
-- members   one recoding/member per attribute
--
-- One row per row of the recoding that is released.
select
    {cells},
    recoding.frequency as frequency,
    {checksum} as checksum
from {recoding} as recoding
{members}
where not recoding.suppressed
