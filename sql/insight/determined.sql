-- How far one column of a table tells another: of the pairs of rows that share the one, those that share the other.
--
-- place   tells the two columns from others, in one statement with which they are asked
-- rows    the rows
-- one     the column that tells
-- other   the column that is told
--
-- One row: the place, the pairs that share the one, those of them that share both, those that share the other, and all.
select
    {place} as place,
    (
        select coalesce(sum(cast(size as hugeint) * (size - 1)), 0)
        from (
            select count(*) as size
            from {rows}
            group by {one}
        )
    ) as sharing,
    (
        select coalesce(sum(cast(size as hugeint) * (size - 1)), 0)
        from (
            select count(*) as size
            from {rows}
            group by {one}, {other}
        )
    ) as both,
    (
        select coalesce(sum(cast(size as hugeint) * (size - 1)), 0)
        from (
            select count(*) as size
            from {rows}
            group by {other}
        )
    ) as alike,
    (
        select cast(count(*) as hugeint) * (count(*) - 1)
        from {rows}
    ) as pairs

-- section: sample
-- Some rows of a table, as they come.
--
-- columns  the columns that are looked at
-- most     how many rows
-- rows     the table
select {columns}
from {rows} as origin
limit {most}
