-- How often a source was released by another job, or to another table of the schema. Entries of an older starcloak know
-- it by its name alone.
--
-- $source, $origin, $release, $job  this time
-- ledger                            the ledger
--
-- One row.
select count(*) as others
from {ledger}
where (origin = $origin or (origin is null and source = $source))
    and ("release" <> $release or job <> $job)
