-- The rows of a table needed by a release, for a file of values of a dbt model.
--
-- cells  one #cell per column
-- rows   the rows
--
-- One row each, in order.
select
    {cells}
from (
    {rows}
)
order by all

-- section: cell
-- A cell as exports/model#cell reads it; a missing one stays missing.
--
-- column  the column
'=' || cast({column} as varchar) as {column}

-- section: fingerprint
-- Fingerprint of the rows of a file of values, in any order.
--
-- cells  one #text per column, joined
-- rows   its rows
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
-- A cell of a file of values, as an unambiguous part of a text.
--
-- column  the column
coalesce(strlen({column}) || {column}, '-')
