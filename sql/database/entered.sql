-- How many entries of a run the ledger has: of its release, and of the dimension tables that go with it.
--
-- $run, $origin  the run, and what tells its source from others
-- ledger         the ledger
--
-- One row.
select count(*) as entries
from {ledger}
where run = $run
    and (origin = $origin or dimension_of is not null)
