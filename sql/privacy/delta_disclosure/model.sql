-- section: violated
-- That a script's release has a class in which a value of a sensitive attribute is missing, or too much more or less
-- frequent than in all of it, or so near to it that floating point cannot tell.
--
-- value_counts  privacy/released
-- sensitive     the sensitive attribute, as it is grouped
-- release       the release
-- delta         what abs(log2(q / p)) must be less than, times its parts
-- parts         the parts
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
