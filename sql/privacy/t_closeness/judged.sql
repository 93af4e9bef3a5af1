-- Whether classes are near enough to the table.
--
-- $most   how much may move, times its parts
-- $parts  the parts
-- $scale  the largest distance of two values
-- moved   what moves
--
-- One row: the largest distance; how many classes are too far, and how many rows those have.
select
    max(moved / (cast(size as double) * whole * $scale)) as largest,
    count(*) filter (where far) as violating_classes,
    cast(coalesce(sum(size) filter (where far), 0) as bigint) as violating_rows
from (
    select
        *,
        cast(moved as hugeint) * cast($parts as hugeint)
            > cast(size as hugeint) * cast(whole as hugeint) * cast($most as hugeint) as far
    from (
{moved}
    )
)
