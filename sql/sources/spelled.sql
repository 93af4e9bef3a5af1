-- Numbers of distinct values of a sensitive attribute: as written, with different spellings of one value merged, and
-- without texts that stand for a missing value.
--
-- $unknown  texts for a missing value, folded
-- $codes    numbers for a missing value, in an attribute with other texts than numbers
-- value     the attribute's column of the classes
-- folded    store/text#folded of the value
-- alike     #alike of the folded text
-- values    the columns of the quasi-identifier
-- classes   classes over more columns: value_1, value_2, …
--
-- One row of numbers of distinct values: as written; after folding (case, spaces, accents); after merging of similar
-- looks; texts for a missing value; and the smallest number of really different values in a class.
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
-- A folded text in a form equal for texts of similar look. Numbers are compared by value (01, 1.0). Full stops and the
-- like at the end are removed. Hyphens and underscores between letters or digits become spaces. Cyrillic and Greek
-- letters become Latin letters of the same look. Codes such as I21.0 lose the full stop.
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
