-- What tells the kept cells of some rows from others, in whatever order the rows come: a sum of hashes. The hash of
-- several cells mixes the last of them too little for a sum, so that it is hashed again.
--
-- cells  #cell of the last of a row's kept cells
cast(sum(hash({cells})) as hugeint)

-- section: cell
-- A cell after others: a hash of them all.
--
-- before  the hash of those before it; 0 for the first
-- cell    the cell, as store/cell/exact has it
hash({before}, {cell})

-- section: cells
-- Cells after others, where a row has many: a hash of them all. One call takes several, so that calls are never nested
-- deeper than a database takes.
--
-- before  the hash of those before them; 0 for the first
-- cells   the cells, as store/cell/exact has them
hash({before}, {cells})

-- dialect: mariadb
-- What tells the kept cells of some rows from others, in whatever order the rows come: a sum of 32-bit hashes.
--
-- cells  #cell of the last of a row's kept cells
cast(sum(crc32({cells})) as signed)

-- section: cell, dialect: mariadb
-- A cell after others: a hash of them all. What stands before the cell tells a missing one from an empty one.
--
-- before  the hash of those before it; 0 for the first
-- cell    the cell, as store/cell/exact has it
sha2(concat({before}, coalesce({cell}, '-')), 256)

-- section: cells, dialect: mariadb
-- Cells after others, where a row has many: a hash of them all. One call takes several, so that calls are never nested
-- deeper than a database takes. A missing cell is told from all others.
--
-- before  the hash of those before them; 0 for the first
-- cells   the cells, as store/cell/exact has them
sha2(concat({before}, json_array({cells})), 256)

-- dialect: postgresql
-- What tells the kept cells of some rows from others, in whatever order the rows come: a sum of 32-bit hashes.
-- A sum of larger numbers is one without bounds, whose states take so much memory that one process does all the work.
--
-- cells  #cell of the last of a row's kept cells
sum(cast({cells} >> 32 as integer))

-- section: cell, dialect: postgresql
-- A cell after others: a hash of them all. Where it is missing, the hash of those before it is another.
--
-- before  the hash of those before it; 0 for the first
-- cell    the cell, as store/cell/exact has it
hashtextextended(coalesce({cell}, ''), {before} # cast(cast({cell} is null as integer) as bigint))

-- section: cells, dialect: postgresql
-- Cells after others, where a row has many: a hash of them all. One call takes several, so that calls are never nested
-- deeper than a database takes. The text of a row tells where each of them ends, and which is missing.
--
-- before  the hash of those before them; 0 for the first
-- cells   the cells, as store/cell/exact has them
hashtextextended(cast(row({cells}) as text) collate "C", {before})

-- dialect: sqlite
-- What tells the kept cells of some rows from others, in whatever order the rows come: a sum of 32-bit hashes.
--
-- cells  #cell of the last of a row's kept cells
sum({cells})

-- section: cell, dialect: sqlite
-- A cell after others: a hash of them all. SQLite has none, so that the connection brings one.
--
-- before  the hash of those before it; 0 for the first
-- cell    the cell, as store/cell/exact has it
starcloak_hash({before}, {cell})

-- section: cells, dialect: sqlite
-- Cells after others, where a row has many: a hash of them all. One call takes several, so that calls are never nested
-- deeper than a database takes.
--
-- before  the hash of those before them; 0 for the first
-- cells   the cells, as store/cell/exact has them
starcloak_hash({before}, {cells})

-- dialect: spark
-- What tells the kept cells of some rows from others, in whatever order the rows come: a sum of 32-bit hashes. A sum of
-- larger ones would be too large, which is an error.
--
-- cells  #cell of the last of a row's kept cells
sum(shiftright({cells}, 32))

-- section: cell, dialect: spark
-- A cell after others: a hash of them all. Spark's skips what is missing, so that what is told first is whether it is.
--
-- before  the hash of those before it; 0 for the first
-- cell    the cell, as store/cell/exact has it
xxhash64({before}, {cell} is null, {cell})

-- section: cells, dialect: spark
-- Cells after others, where a row has many: a hash of them all. One call takes several, so that calls are never nested
-- deeper than a database takes. Its hash skips what is missing, which this text does not.
--
-- before  the hash of those before them; 0 for the first
-- cells   the cells, as store/cell/exact has them
xxhash64({before}, to_json(array({cells})))
