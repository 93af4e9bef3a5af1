-- How often a table was released.
--
-- $release  its name
-- ledger    the ledger of its schema
--
-- One row.
select count(*) as releases
from {ledger}
where "release" = $release
