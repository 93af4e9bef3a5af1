-- The lines of a declared hierarchy, given as one list per level.
--
-- levels  hierarchy/list per level, as level_0, level_1, …
--
-- One row per line.
select
    {levels}
