-- What tells the rows of a seed from others, in any order.
--
-- cells  one #text per column, joined
-- rows   the seed's rows
--
-- One row.
select sha256(coalesce(string_agg(line, '' order by line), '')) as fingerprint
from (
    select {cells} as line
    from (
        {rows}
    )
)

-- section: text
-- A cell of a seed, as a part of a text that has no two readings.
--
-- column  the column
coalesce(strlen({column}) || {column}, '-')
