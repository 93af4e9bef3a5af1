-- The written release read back, and its classes counted again.
--
-- quasi_identifiers  the columns
-- release            the release
--
-- One row: the number of rows, and that of the smallest class.
select
    sum(size) as everything,
    min(size) as smallest
from (
    select
        {quasi_identifiers},
        count(*) as size
    from {release}
    group by {quasi_identifiers}
) as classes
