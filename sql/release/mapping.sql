-- A row finds what its tuple is mapped to.
--
-- mapping  the mapping: a recoding, or recoding/mapping
-- match    one release/match per quasi-identifier
join {mapping} as mapping
    on {match}
