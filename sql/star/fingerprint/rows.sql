-- Checksum of rows, independent of their order: the number of rows, and the sum of the rows' hashes. DuckDB's hash of
-- several cells mixes the last cell too little for a sum, so the result is hashed again.
--
-- cells  the cells, as exact values
-- rows   the statement with the rows
--
-- One row. DuckDB's hash has 64 bits and may change with its version.
select
    count(*) as rows,
    cast(coalesce(sum(hash(hash({cells}))), 0) as hugeint) as cells
from (
    {rows}
)

-- section: counted
-- Checksum of the rows counted by a frequency set: each combination counts with its frequency.
--
-- cells  the cells as texts
-- rows   the base frequency set
--
-- One row.
select
    cast(sum(frequency) as bigint) as rows,
    cast(coalesce(sum(cast(frequency as hugeint) * hash(hash({cells}))), 0) as hugeint) as cells
from {rows}

-- section: cell
-- A cell as text, equal for equal values of different types: a final .0 of a number and a midnight of a timestamp are
-- removed.
--
-- column  the column
case
    when cast({column} as varchar) like '%.0' then left(cast({column} as varchar), -2)
    when cast({column} as varchar) like '% 00:00:00' then left(cast({column} as varchar), -9)
    else cast({column} as varchar)
end
