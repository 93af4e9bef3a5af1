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
-- 1 where a class has one value of a column, else 2: its least and its greatest are found faster than all are counted.
--
-- column  the column
case
    when count({column}) = 0 then 1
    when count({column}) = count(*) and min({column}) = max({column}) then 1
    else 2
end

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

-- section: values, dialect: postgresql
-- How many values of a column a class has.
--
-- column  the column
count(distinct {column}) + max(case when {column} is null then 1 else 0 end)

-- section: values, dialect: mariadb
-- How many values of a column a class has.
--
-- column  the column
count(distinct {column}) + max(case when {column} is null then 1 else 0 end)

-- section: values, dialect: sqlite
-- How many values of a column a class has.
--
-- column  the column
count(distinct {column}) + max(case when {column} is null then 1 else 0 end)

-- section: values, dialect: spark
-- How many values of a column a class has.
--
-- column  the column
count(distinct {column}) + max(case when {column} is null then 1 else 0 end)
