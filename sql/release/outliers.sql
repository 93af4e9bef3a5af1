-- The suppressed value groups, for a script. A group whose counts are told nowhere.
--
-- outliers  their name
-- columns   their columns
-- groups    one row each
create temporary table {outliers} as
select *
from (
    values
    {groups}
) as outliers ({columns})
