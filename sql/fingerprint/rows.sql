-- What tells rows from others, in whatever order they come: how many there are, and sums of hashes.
-- The hash of several cells mixes the last of them too little for a sum, so that it is hashed again.
--
-- tuple  the cells of the quasi-identifier
-- kept   the other cells, each after a comma
-- rows   the statement that yields the rows
--
-- One row. DuckDB's hash has 64 bits and may change with its version.
select
    count(*) as rows,
    cast(coalesce(sum(hash(hash({tuple}))), 0) as hugeint) as tuples,
    cast(coalesce(sum(hash(hash(hash({tuple}){kept}))), 0) as hugeint) as cells
from (
{rows}
)
