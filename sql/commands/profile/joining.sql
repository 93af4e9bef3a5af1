-- Numbers of persons, to find out if a reader can join the rows of a person by a column: the column has one value in
-- all rows of the person, and no other person has this value. Rows without a value do not count.
--
-- person  the column of the persons
-- column  the column
-- rows    the table
--
-- One row of numbers of persons: several, with a value in two or more rows; constant, among these with equal values in
-- all rows; own, with one value that no other person has.
with persons as materialized (
    select
        count({column}) as present,
        count(distinct {column}) as found,
        any_value({column}) as value
    from {rows}
    group by {person}
)
select
    count(*) filter (where present > 1) as several,
    count(*) filter (where present > 1 and found = 1) as constant,
    (
        select count(*)
        from (
            select value
            from persons
            where found = 1
            group by value
            having count(*) = 1
        )
    ) as own
from persons

-- section: shared
-- The smallest number of persons sharing a combination of values of some columns.
--
-- person  the column of the persons
-- values  one #value per column
-- rows    the table
--
-- One row.
select min(persons) as fewest
from (
    select count(*) as persons
    from (
        select [{values}] as found
        from {rows}
        group by {person}
    )
    group by found
)

-- section: value
-- A value of a person, as a text.
--
-- column  the column
cast(any_value({column}) as varchar)

-- section: spread
-- The variance of a numeric column: within persons (pooled over persons with several values), and over all rows.
--
-- person  the column of the persons
-- number  the number in a cell
-- rows    the table
--
-- One row.
select
    (
        select sum(variance * (present - 1)) / sum(present - 1)
        from (
            select
                var_samp({number}) as variance,
                count({number}) as present
            from {rows}
            group by {person}
        )
        where present > 1
    ) as within_persons,
    var_samp({number}) as overall
from {rows}

-- section: number
-- The number in a cell; null if the cell has no finite number.
--
-- column  the column
case when isfinite(try_cast({column} as double)) then try_cast({column} as double) end
