-- How often a source was released by another job, or to another table of the schema.
--
-- $source, $release, $job  this time
-- ledger                   the ledger
--
-- One row.
select count(*) as others
from {ledger}
where source = $source
    and ("release" <> $release or job <> $job)
