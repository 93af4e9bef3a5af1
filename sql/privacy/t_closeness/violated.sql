-- That a script's release has a class whose sensitive values are too far from those of all of it, where all values
-- are as far from each other.
--
-- value_counts  privacy/released
-- values        the generalized columns
-- t             the largest distance, times its parts
-- parts         the parts
exists (
    select 1
    from {value_counts}
    group by {values}
    having sum(
        case when value_rows * whole > total * size then value_rows * whole - total * size else 0 end
    ) * {parts} > max(size) * max(whole) * {t}
)
