-- What a value becomes: the top where it has no leaf in the hierarchy.
--
-- mask  search/tdr/applied or search/tdr/applied_intervals
-- top   what the top reads
case when {mask}.is_leaf then {mask}.cell else {top} end
