-- A release as one statement, for a dbt model: where its source or its seeds are not those that it was made with, it is
-- an error.
--
-- tables      one release/seed per table that the release needs, release/stage of the source, and that of the release
-- release     the name of the release
-- conditions  release/same_types, one release/same_seed per table, one release/holds per quasi-identifier of the
--             requirement
--
-- One row per row of the source that is not suppressed.
with
{tables}
select *
from {release}
where {conditions}
