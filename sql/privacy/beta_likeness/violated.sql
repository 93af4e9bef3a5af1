-- That a script's release has a class in which a value of a sensitive attribute is too much more frequent than in
-- all of it.
--
-- value_counts  privacy/released
-- beta          the largest relative gain, times its parts
-- parts         the parts
exists (
    select 1
    from {value_counts}
    where 1.0 * value_rows * whole * {parts} > 1.0 * total * size * ({beta} + {parts}) * 0.999999999
)
