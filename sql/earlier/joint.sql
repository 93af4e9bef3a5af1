-- What two releases of a source tell together: the groups of rows that share a class in both.
--
-- $k       the k that they should have
-- groups   earlier/groups
--
-- One row: the smallest group, the groups, the rows of all; those in groups of fewer than k; those in the earlier one
-- alone, and in this one alone.
select
    min(rows) as joint_k,
    count(*) as groups,
    cast(coalesce(sum(rows), 0) as bigint) as rows,
    cast(coalesce(sum(rows) filter (where rows < $k), 0) as bigint) as rows_below,
    cast(coalesce(sum(rows) filter (where class is null), 0) as bigint) as rows_gone,
    cast(coalesce(sum(rows) filter (where earlier_class is null), 0) as bigint) as rows_new
from {groups}
