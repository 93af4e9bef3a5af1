-- The classes of a release that share one value of a sensitive column. A missing value is a value.
--
-- counts   one #classes and one #rows per sensitive column
-- values   one #values per sensitive column
-- release  the release
-- names    the quasi-identifier's columns, as they are grouped
--
-- One row.
select {counts}
from (
    select
        count(*) as size,
        {values}
    from {release} as relation
    group by {names}
) as classes

-- section: values
-- How many values of a column a class has.
--
-- column  the column
count(distinct {column}) + max(case when {column} is null then 1 else 0 end)

-- section: classes
-- Classes with one value.
--
-- values  how many they have
count(case when {values} = 1 then 1 end)

-- section: rows
-- Rows in classes with one value.
--
-- values  how many they have
coalesce(sum(case when {values} = 1 then size end), 0)
