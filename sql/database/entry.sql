-- An entry of the ledger.
--
-- ledger   the ledger
-- columns  its columns
-- values   a bind for each
insert into {ledger} ({columns})
values ({values})
