-- The ledger of a schema: the releases made in it, with time and settings. Its files cannot be changed, so a run's
-- entries are a partition, added and dropped as one.
--
-- ledger   the ledger's name
-- columns  one store/column per column
create table {ledger} (
    {columns}
)
using parquet
partitioned by (run)

-- section: runs
-- The run in the ledger with an id that begins with a text.
--
-- $run    the first 12 characters of the id
-- ledger  the ledger
--
-- One row at most.
select distinct run
from {ledger}
where substr(run, 1, 12) = $run

-- section: forget_run
-- Delete the entries of a run from the ledger.
--
-- run     the run
-- ledger  the ledger
alter table {ledger} drop if exists partition (run = {run})
