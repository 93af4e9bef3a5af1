-- What tells the kept cells of some rows from others, in whatever order the rows come: a sum of 32-bit hashes.
-- A sum of larger numbers is one without bounds, whose states take so much memory that one process does all the work.
--
-- cells  #cell of the last of a row's kept cells
sum(cast({cells} >> 32 as integer))

-- section: cell
-- A cell after others: a hash of them all. Where it is missing, the hash of those before it is another.
--
-- before  the hash of those before it; 0 for the first
-- cell    the cell, as cell/exact has it
hashtextextended(coalesce({cell}, ''), {before} # cast(cast({cell} is null as integer) as bigint))
