-- The classes of a release that share one value of a sensitive column. A missing value is a value.
--
-- counts   one #classes and one #rows per sensitive column
-- values   one #values or, of a part of the release, #of_part per sensitive column
-- release  the release, or a part of it
-- names    the quasi-identifier's columns, as they are grouped
--
-- One row: how many classes there are, and these counts.
select
    count(*) as everything,
    {counts}
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

-- section: of_part
-- 1 where a class has one value of a column, else 2, by the hashes that a part of a release has of them.
--
-- column  the column of the part
case when min({column}) = max({column}) then 1 else 2 end

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

-- section: other_classes
-- Rows of a release in classes of which a part of it has not shown two values of each sensitive column.
--
-- release  the release
-- names    the quasi-identifier's columns, each by insight/part#hash
-- values   the same of the part: value_1, value_2, …
-- counted  one #of_part per sensitive column
-- part     the part
--
-- One row per row of these classes.
(
    select relation.*
    from {release} as relation
    anti join (
        select hash({values}) as class
        from {part}
        group by {values}
        having least({counted}) > 1
    ) as settled
        on settled.class = hash({names})
)
