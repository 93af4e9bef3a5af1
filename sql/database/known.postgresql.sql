-- All that the ledger has of a table's name.
--
-- $release  the name
-- ledger    the ledger of its schema
--
-- One row per entry.
select *
from {ledger}
where "release" = $release
