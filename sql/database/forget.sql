-- Take the entries of a run out of the ledger.
--
-- $run    how the run's number begins
-- ledger  the ledger
delete from {ledger}
where substr(run, 1, 12) = $run
