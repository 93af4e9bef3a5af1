-- The values of a sensitive attribute, and what is left of them where spellings of one value are one and texts that
-- mean that it is missing are none.
--
-- $unknown  texts that mean missing, folded
-- $codes    numbers that mean missing among values of which some are no number
-- value     the attribute's column of the classes
-- folded    store/text#folded of it
-- alike     #alike of that
-- values    the columns of the quasi-identifier
-- classes   classes over more columns: value_1, value_2, …
--
-- One row: the values, those that differ once folded, those that also look different, those that mean missing, and the
-- fewest of a class that are left.
with spelled as materialized (
    select distinct
        {values},
        value,
        folded,
        {alike} as alike
    from (
        select distinct
            {values},
            {value} as value,
            {folded} as folded
        from {classes}
    )
),
judged as materialized (
    select
        *,
        list_contains($unknown, folded)
        or (
            list_contains($codes, folded)
            and exists (
                select 1
                from spelled as others
                where not list_contains($unknown, others.folded) and try_cast(others.folded as decimal(38, 10)) is null
            )
        ) as means_missing
    from spelled
)
select
    count(distinct value) as found,
    count(distinct folded) as folded,
    count(distinct alike) as alike,
    count(distinct value) filter (where means_missing) as unknown,
    (
        select min(present)
        from (
            select count(distinct alike) filter (where not means_missing) as present
            from judged
            group by {values}
        )
    ) as fewest
from judged

-- section: alike
-- A folded text without what looks the same: a number as a number (01, 1.0), without a full stop or the like at its
-- end, with a space in place of hyphens and underscores between letters or digits, with the Latin letter in place of a
-- Cyrillic or Greek one of the same look.
--
-- folded  the text
coalesce(
    cast(try_cast({folded} as decimal(38, 10)) as varchar),
    translate(
        regexp_replace(regexp_extract({folded}, '^(.*[\pL\pN])', 1), '([\pL\pN])[\s_\-‐‑–—]+', '\1 ', 'g')
        || regexp_replace(regexp_extract({folded}, '[^\pL\pN]*$'), '[.,;:!?]+$', ''),
        'авекмнорстухіјѕԁһαβεζηικμνορτυχ',
        'abekmhopctyxijsdhabezhikmnoptyx'
    )
)
