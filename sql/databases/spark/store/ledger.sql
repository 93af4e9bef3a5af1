-- The ledger of a schema: the releases made in it, with time and settings. Its files cannot be changed, so a run's
-- entries are a partition, added and dropped as one.
--
-- ledger   its name
-- columns  one store/column per column
create table {ledger} (
    {columns}
)
using parquet
partitioned by (run)

-- section: column
-- A column missing from a ledger of an older starcloak.
--
-- ledger  its name
-- column  store/column
alter table {ledger} add columns ({column})

-- section: runs
-- The run with entries and this beginning of its number.
--
-- $run    how it begins
-- ledger  the ledger
--
-- One row at most.
select distinct run
from {ledger}
where substr(run, 1, 12) = $run

-- section: forget_run
-- Take the entries of a run out of the ledger.
--
-- run     the run
-- ledger  the ledger
alter table {ledger} drop if exists partition (run = {run})
