-- section: violated
-- Condition to refuse a release: a class lacks a sensitive value, or has it too much more or less frequently than
-- the whole release, or so close to it that floating point cannot decide.
--
-- value_counts  privacy/released
-- sensitive     the sensitive attribute, in its grouped form
-- release       the release
-- delta         the numerator of the upper limit of abs(log2(q / p)), excluded, as a fraction
-- parts         the denominator of that fraction
exists (
    select 1
    from {value_counts}
    group by class
    having max(abs(ln(value_rows) + ln(whole) - ln(size) - ln(total))) >= {delta} * ln(2) / {parts} - 0.000000001
        or count(*) < (
            select count(*)
            from (
                select 1 as one
                from {release}
                group by {sensitive}
            ) as different
        )
)
