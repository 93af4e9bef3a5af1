-- Number of ordered pairs of rows with equal values of some columns, for several sets of columns.
--
-- hashes  one #hash per set
-- sets    how many sets there are
-- rows    the rows
--
-- One row per set: its place among them, from 0, and the pairs.
select
    place,
    cast(sum(size * (size - 1)) as bigint) as pairs
from (
    select
        place,
        count(*) as size
    from (
        select
            unnest(range({sets})) as place,
            unnest([{hashes}]) as hashed
        from {rows}
    )
    group by place, hashed
)
group by place
order by place

-- section: hash
-- A hash, of 64 bits, of a row's cells in some columns.
--
-- columns  0 and these columns, so that the list is never empty
hash({columns})

-- section: sample
-- Some rows of a table, as they come.
--
-- columns  store/cell/code of the examined columns
-- most     how many rows
-- rows     the table
select {columns}
from {rows} as origin
limit {most}
