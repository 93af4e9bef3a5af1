-- The ledger of a schema: what was released into it, when, and how. Of its files none can be changed, so that a run's
-- entries are a partition, which is added and dropped as one.
--
-- ledger   its name
-- columns  one store/column per column
create table {ledger} (
    {columns}
)
using parquet
partitioned by (run)

-- section: column
-- A column that a ledger of an older starcloak lacks.
--
-- ledger  its name
-- column  store/column
alter table {ledger} add columns ({column})

-- section: runs
-- The run with entries whose number begins so.
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
