-- section: violated
-- That a script's release has a class in which a value of a sensitive attribute is too much more frequent than in
-- all of it.
--
-- value_counts  privacy/released
-- beta          the largest relative gain, times its parts
-- parts         the parts
exists (
    select 1
    from {value_counts}
    where value_rows * whole * {parts} > total * size * ({beta} + {parts})
)

-- section: enhanced
-- That a script's release has a class in which a value of a sensitive attribute is too much more frequent than in
-- all of it, or so near to it that floating point cannot tell.
--
-- value_counts  privacy/released
-- beta          the largest relative gain, times its parts
-- parts         the parts
exists (
    select 1
    from {value_counts}
    where value_rows * whole * {parts} > total * size * ({beta} + {parts})
        or 1.0 * value_rows * whole > 1.0 * total * size * (1 + ln(whole) - ln(total)) * 0.999999999
            and total < whole
)
