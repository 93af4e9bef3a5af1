-- Fingerprint of a source's rows for a script, in any order of rows: the sum of 64 bits of each row's MD5. DuckDB's own
-- hash may change with its version, and another version may run the script.
--
-- cells  one #cell per column
cast(coalesce(sum(md5_number_lower(concat({cells}))), 0) as hugeint)

-- section: cell
-- A cell as its length and its text, so that joined cells stay unambiguous. A missing cell differs from all others.
--
-- cell  the cell's exact value (store/cell/exact)
coalesce(strlen(cast({cell} as varchar)) || ':' || cast({cell} as varchar), '-')

-- section: moment
-- A moment in microseconds. The text of a moment with a time zone depends on the session, and DuckDB fails to write the
-- text of the earliest moments.
--
-- cell  the cell
case
    when isinf({cell}) then cast({cell} > cast('1970-01-01' as timestamptz) as varchar)
    else cast(epoch_us({cell}) as varchar)
end

-- section: source
-- The fingerprint at the time the script is made.
--
-- fingerprint  the fingerprint of the rows
-- source       the source
--
-- One row: the fingerprint.
select {fingerprint} as fingerprint
from {source}
