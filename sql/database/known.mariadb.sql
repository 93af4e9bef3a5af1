-- All that the ledger has of a table's name. Some servers know names whatever their case.
--
-- $release  the name
-- ledger    the ledger of its schema
--
-- One row per entry.
select *
from {ledger}
where "release" = $release
    or (@@lower_case_table_names <> 0 and lower("release") = lower($release))
