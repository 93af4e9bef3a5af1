-- What tells the kept cells of some rows from others, in whatever order the rows come: a sum of hashes. The hash of
-- several cells mixes the last of them too little for a sum, so that it is hashed again.
--
-- cells  fingerprint/cell of the last of a row's kept cells
cast(sum(hash({cells})) as hugeint)
