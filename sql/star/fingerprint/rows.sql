-- What tells rows from others, in whatever order they come: how many there are, and a sum of hashes.
-- The hash of several cells mixes the last of them too little for a sum, so that it is hashed again.
--
-- cells  the cells, exact
-- rows   the statement that yields the rows
--
-- One row. DuckDB's hash has 64 bits and may change with its version.
select
    count(*) as rows,
    cast(coalesce(sum(hash(hash({cells}))), 0) as hugeint) as cells
from (
    {rows}
)
