-- The classes of fewer than k rows.
--
-- $k       the smallest allowed class
-- classes  the classes
--
-- One row per small class.
(
    select *
    from {classes}
    where frequency < $k
)
