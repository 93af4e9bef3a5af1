-- A cell after others: a hash of them all. Where it is missing, the hash of those before it is another.
--
-- before  the hash of those before it; 0 for the first
-- cell    the cell, as cell/exact has it
hashtextextended(coalesce({cell}, ''), {before} # cast(cast({cell} is null as integer) as bigint))
