-- Rows whose value group is an outlier are left out. Codes are never missing, so equality is enough.
--
-- outliers  the suppressed value groups
-- matches   one release/match per quasi-identifier
where not exists (
    select 1
    from {outliers} as outlier
    where {matches}
)
