-- Groups of rows by their class in all earlier releases together and in this one.
--
-- size    #rows, or #persons
-- pieces  companions/joint_risk/pieces
--
-- One row per group. For rows in only one of the two, the other class is missing. size is the number counted by k.
select
    row_number() over () as number,
    earlier_class,
    class,
    {size} as size,
    cast(sum(rows) as bigint) as rows
from {pieces}
where earlier_class is not null
    or class is not null
group by
    earlier_class,
    class

-- section: rows
-- k counts rows.
cast(sum(rows) as bigint)

-- section: persons
-- k counts persons.
count(distinct whose)

-- section: unsure
-- True if a person has both deleted and new rows: changed rows cannot be matched then.
--
-- pieces  companions/joint_risk/pieces
--
-- One row.
select coalesce(bool_or(gone and came), false) as unsure
from (
    select
        bool_or(before and not after) as gone,
        bool_or(after and not before) as came
    from {pieces}
    group by whose
)
