-- A column that a ledger of an older starcloak lacks.
--
-- ledger  its name
-- column  the column with its type
alter table {ledger} add column {column}
