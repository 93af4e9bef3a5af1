-- The small classes: those that violate the requirement.
--
-- violating  the condition that a class does
-- classes    the classes
--
-- One row per small class.
(
    select *
    from {classes}
    where {violating}
)
