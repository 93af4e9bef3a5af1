-- The equivalence classes of a table over some columns, each with its number of rows, counted in the table's database.
-- For a staged release, no other statement reads the generalized columns back.
--
-- values    the columns, as value_1, value_2, …; if requested, store/checksum as checksum, and one #values or
--           #one_value per examined column, as values_1, values_2, …
-- relation  the table, as relation
-- names     the columns, in their grouped form
--
-- One row per class. Missing values of a column are equal to each other and to nothing else.
select
    {values},
    count(*) as size
from {relation} as relation
group by {names}

-- section: values
-- Number of a column's distinct values in a class. A missing value counts as a value.
--
-- column  the column
count(distinct {column}) + max(case when {column} is null then 1 else 0 end)

-- section: one_value
-- 1 if a class has a single value of a column, else 2; compared are 64-bit hashes. A missing value counts as a value.
--
-- column  the column
case when min(hash({column})) = max(hash({column})) then 1 else 2 end
