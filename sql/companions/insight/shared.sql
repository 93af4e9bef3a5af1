-- The classes of a release with a single value of a sensitive column. A missing value is a value.
--
-- counts   one #classes and one #rows per sensitive column
-- classes  verify/sizes of the staged release
--
-- One row: these counts.
select {counts}
from {classes}

-- section: classes
-- Classes with one value.
--
-- values  the column of the classes' number of values
count(case when {values} = 1 then 1 end)

-- section: rows
-- Rows in classes with one value.
--
-- values  the column of the classes' number of values
coalesce(sum(case when {values} = 1 then size end), 0)
