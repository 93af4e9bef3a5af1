-- For each of several sets of columns: the number of ordered pairs of rows with equal values in all columns of the set.
--
-- hashes  one #hash per set
-- sets    the number of sets
-- rows    the rows
--
-- One row per set: the index of the set, from 0, and the number of pairs.
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
-- A 64-bit hash of a row's cells in some columns.
--
-- columns  0 and the columns, so that the list is never empty
hash({columns})

-- section: sample
-- A sample of a table's rows: the first ones read.
--
-- columns  store/cell/code of the examined columns
-- most     the largest number of rows
-- rows     the table
select {columns}
from {rows} as origin
limit {most}

-- section: persons
-- The first row of each person in a sample.
--
-- person  the columns that identify a person
-- rows    the sample
--
-- One row per person.
select *
from {rows}
qualify row_number() over (partition by {person} order by rowid) = 1
