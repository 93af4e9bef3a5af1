-- Value groups that are left out do not count.
--
-- outliers  recoding/outliers
-- match     one release/match per attribute: the group is that outlier
where not exists (
    select 1
    from {outliers} as outlier
    where {match}
)
