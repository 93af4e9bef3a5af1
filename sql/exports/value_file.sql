-- The rows of a table needed by a release, for a file of values of a dbt model.
--
-- cells  one #cell per column
-- rows   the statement with the rows of the table
--
-- One row per row of the table, in order.
select
    {cells}
from (
    {rows}
)
order by all

-- section: cell
-- A cell as = and its text, to be read by exports/model#cell; a missing cell stays missing.
--
-- column  the column
'=' || cast({column} as varchar) as {column}

-- section: fingerprint
-- Fingerprint of the rows of a file of values, in any order.
--
-- cells  one #text per column, joined
-- rows   the rows of the file
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
-- A cell as its length and its text, so that joined cells stay unambiguous.
--
-- column  the column
coalesce(strlen({column}) || {column}, '-')
