-- An attribute that a region could be cut on.
--
-- dimension  the attribute's position
-- low        the first leaf
-- high       the last leaf
struct_pack(
    dimension := {dimension},
    low := cast({low} as hugeint),
    high := cast({high} as hugeint)
)
