-- Checksum of rows, in any order: their number, and a sum of hashes. The hash of several cells mixes the last of them
-- too little for a sum, so it is hashed again.
--
-- cells  the cells, exact
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
-- The same for rows given as combinations with their frequencies.
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
-- A cell as text, without the additions of a copy of another type: 30 as a double is 30.0, a date as a moment has
-- midnight.
--
-- column  the column
case
    when cast({column} as varchar) like '%.0' then left(cast({column} as varchar), -2)
    when cast({column} as varchar) like '% 00:00:00' then left(cast({column} as varchar), -9)
    else cast({column} as varchar)
end
