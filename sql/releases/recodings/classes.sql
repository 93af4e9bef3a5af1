-- The equivalence classes of a release, numbered from 1 in the order of their generalized values.
--
-- cells    cell_1, cell_2, …
-- recoded  releases/recodings/recoded, as a table or nested
--
-- One row per class.
select
    row_number() over (order by {cells}) as class,
    {cells}
from (
    select distinct {cells}
    from {recoded}
)
