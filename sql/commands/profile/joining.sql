-- The persons with rows joined by a column: it has one value in all rows of a person, and no other person has that
-- value. Rows without a value do not count.
--
-- person  the column of the persons
-- column  the column
-- rows    the table
--
-- One row: the persons with several values; those of them with equal values; and, of all persons with a value, those
-- with a value of their own.
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
