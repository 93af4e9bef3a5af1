-- section: violated
-- Condition to refuse a release: a sensitive value is too much more frequent in a class than in the whole release.
--
-- value_counts  privacy/released
-- beta          the numerator of the largest relative gain, as a fraction
-- parts         the denominator of that fraction
exists (
    select 1
    from {value_counts}
    where value_rows * whole * {parts} > total * size * ({beta} + {parts})
)

-- section: enhanced
-- Condition to refuse a release: a sensitive value is too much more frequent in a class than in the whole release,
-- or so close to it that floating point cannot decide.
--
-- value_counts  privacy/released
-- beta          the numerator of the largest relative gain, as a fraction
-- parts         the denominator of that fraction
exists (
    select 1
    from {value_counts}
    where value_rows * whole * {parts} > total * size * ({beta} + {parts})
        or 1.0 * value_rows * whole > 1.0 * total * size * (1 + ln(whole) - ln(total)) * 0.999999999
            and total < whole
)
