-- Numbers of classes with a single value of a sensitive column, and of their rows. A missing value is a value.
--
-- counts   one #classes and one #rows per sensitive column
-- classes  verify/sizes of the staged release
--
-- One row: the counts, in the order of the columns.
select {counts}
from {classes}

-- section: classes
-- Number of classes with a single value.
--
-- values  the column of the classes' number of values
count(case when {values} = 1 then 1 end)

-- section: rows
-- Number of rows in classes with a single value.
--
-- values  the column of the classes' number of values
coalesce(sum(case when {values} = 1 then size end), 0)
