-- The values of a sensitive attribute, and their number with spellings of one value merged and texts meaning missing
-- excluded.
--
-- $unknown  texts meaning missing, folded
-- $codes    numbers meaning missing among values with some that are no number
-- value     the attribute's column of the classes
-- folded    store/text#folded of it
-- alike     #alike of the folded text
-- values    the columns of the quasi-identifier
-- classes   classes over more columns: value_1, value_2, …
--
-- One row: the values, those different once folded, those also looking different, those meaning missing, and the fewest
-- remaining in a class.
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
-- A folded text without look-alike differences: a number as a number (01, 1.0), without a full stop or the like at its
-- end, with a space in place of hyphens and underscores between letters or digits, with the Latin letter in place of a
-- Cyrillic or Greek one of the same look, and without the full stop of a code such as I21.0.
--
-- folded  the text
coalesce(
    cast(try_cast({folded} as decimal(38, 10)) as varchar),
    regexp_replace(
        translate(
            regexp_replace(regexp_extract({folded}, '^(.*[\pL\pN])', 1), '([\pL\pN])[\s_\-‐‑–—]+', '\1 ', 'g')
            || regexp_replace(regexp_extract({folded}, '[^\pL\pN]*$'), '[.,;:!?]+$', ''),
            'авекмнорстухіјѕԁһαβεζηικμνορτυχ',
            'abekmhopctyxijsdhabezhikmnoptyx'
        ),
        '^([a-z][0-9][0-9a-z])\.([0-9a-z]{1,4})$',
        '\1\2'
    )
)
