-- A column that a ledger of an older starcloak lacks.
--
-- ledger  its name
-- column  release/column
alter table {ledger} add column {column}
