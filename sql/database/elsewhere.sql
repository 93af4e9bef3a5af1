-- How often a source was released, as the ledger of another schema tells, whatever types its columns have.
--
-- $source, $origin  the source
-- ledger            that ledger
--
-- One row.
select count(*) as releases
from {ledger}
where concat(origin, '') = $origin
    or (origin is null and concat(source, '') = $source)
