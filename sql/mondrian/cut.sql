-- A cut that a region could try: an attribute, and the value that covers its leaves in the region.
--
-- dimension  the attribute's position
-- level      the value's level
-- value      the value
-- shift      how many bits of a path lie below its children
-- low        the first leaf
-- high       the last leaf
struct_pack(
            dimension := {dimension},
            level := {level},
            value := cast({value} as hugeint),
            shift := {shift},
            low := cast({low} as hugeint),
            high := cast({high} as hugeint)
        )
