-- A cell's level in the recoding; that of a suppressed one is its own.
--
-- level  kaca/level
cast(coalesce({level}, 0) as utinyint)
