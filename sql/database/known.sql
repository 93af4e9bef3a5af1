-- All that the ledger has of a table's name. DuckDB and SQLite know names whatever their case.
--
-- $release  the name
-- ledger    the ledger of its schema
--
-- One row per entry.
select *
from {ledger}
where lower("release") = lower($release)
