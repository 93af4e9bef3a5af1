-- section: tops
-- Number of distinct values of a hierarchy's last level; a valid hierarchy has one.
--
-- top       the last level's column
-- declared  the hierarchy's lines
--
-- One row. count(distinct …) would not count a missing value.
select count(*) as tops
from (
    select distinct {top}
    from {declared}
)

-- section: no_top
-- Number of lines of a hierarchy without a last value.
--
-- top       the last level's column
-- declared  the hierarchy's lines
--
-- One row.
select count(*) as without
from {declared}
where {top} is null

-- section: two_parents
-- Number of values of a level with more than one parent at the level above.
--
-- below     the column of the level
-- above     the column of the level above
-- declared  the hierarchy's lines
--
-- One row. Without the distinct, two leaves under one parent would count as two parents.
select count(*) as children
from (
    select {below}
    from (
        select distinct
            {below},
            {above}
        from {declared}
    )
    group by {below}
    having count(*) > 1
)

-- section: without_leaf
-- Number of values of the source without a leaf, and true if the missing value is one of them.
--
-- domain   the attribute's values
-- members  the members of the hierarchy: each leaf with its texts at every level
--
-- One row. Not exists, not not in: a missing leaf would make not in find nothing.
select
    count(*) as values,
    coalesce(bool_or(domain.value is null), false) as missing
from {domain} as domain
where not exists (
    select 1
    from {members} as member
    where member.present
        and member.value is not distinct from domain.value
)
