-- An entry of the ledger, with the next number: by it, entries of a table are in order whatever the clocks say.
--
-- ledger   the ledger
-- columns  its columns, the number last
-- values   a bind for each other column
insert into {ledger} ({columns})
select
    {values},
    coalesce(max(number), 0) + 1
from {ledger}
