-- Groups of rows by two classes: one in the joint partition of all earlier releases, one in the new release.
--
-- size    #rows, or #persons
-- pieces  companions/joint_risk/pieces
--
-- One row per group. The other class is missing for rows only in earlier releases, or only in the new release. size is
-- the size of the group in rows or persons, as counted by k.
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
-- Size of a group if k counts rows.
cast(sum(rows) as bigint)

-- section: persons
-- Size of a group if k counts persons.
count(distinct whose)

-- section: unsure
-- True if any person has both deleted and new rows: a changed row then cannot be distinguished from a deleted and a new
-- one.
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
