-- What tells the kept cells of some rows from others, in whatever order the rows come: a sum of 32-bit hashes.
-- A sum of larger numbers is one without bounds, whose states take so much memory that one process does all the work.
--
-- cells  #cell of the last of a row's kept cells
sum(cast({cells} >> 32 as integer))

-- section: cell
-- A cell after others: a hash of them all. Where it is missing, the hash of those before it is another.
--
-- before  the hash of those before it; 0 for the first
-- cell    the cell, as store/cell/exact has it
hashtextextended(coalesce({cell}, ''), {before} # cast(cast({cell} is null as integer) as bigint))

-- section: cells
-- Cells after others, where a row has many: a hash of them all. One call takes several, so that calls are never nested
-- deeper than a database takes. The text of a row tells where each of them ends, and which is missing.
--
-- before  the hash of those before them; 0 for the first
-- cells   the cells, as store/cell/exact has them
hashtextextended(cast(row({cells}) as text) collate "C", {before})
