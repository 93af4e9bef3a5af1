-- A cell's level in the recoding; that of a suppressed one is its own.
--
-- level  search/kaca/level
cast(coalesce({level}, 0) as utinyint)
