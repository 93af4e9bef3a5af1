-- Numbers of distinct values of a sensitive attribute: as written, with different spellings of one value merged, and
-- without texts that stand for a missing value.
--
-- $unknown  texts for a missing value, folded
-- $codes    numbers for a missing value, in an attribute with other texts than numbers
-- value     the attribute's column of the classes
-- folded    store/text#folded of the value
-- alike     #alike of the folded text
-- columns   the columns of the quasi-identifier, and those that identify persons
-- classes   classes over more columns: value_1, value_2, …
-- fewest    #of_rows or #of_persons
--
-- One row of numbers of distinct values: as written; after folding (case, spaces, accents); after merging of similar
-- looks; texts for a missing value; and the smallest number of really different values in a class.
with spelled as materialized (
    select distinct
        {columns},
        value,
        folded,
        {alike} as alike
    from (
        select distinct
            {columns},
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
    ({fewest}) as fewest
from judged

-- section: of_rows
-- The smallest number of really different values in a class.
--
-- values  the columns of the quasi-identifier
--
-- One row.
select min(present)
from (
    select count(distinct alike) filter (where not means_missing) as present
    from judged
    group by {values}
)

-- section: of_persons
-- The smallest number of really different values in a class of persons. A value that all persons of the class have is
-- the only value of the class, as a reader learns this value for each of them. Persons without a value do not count.
--
-- values   the columns of the quasi-identifier
-- persons  the columns that identify persons
--
-- One row.
select min(case when is_shared then 1 else present end)
from (
    select
        {values},
        count(*) filter (where having_it > 0) as present,
        bool_or(having_it > 0 and having_it = everybody) as is_shared
    from (
        select
            {values},
            alike,
            everybody,
            count(distinct case when not means_missing then ({persons}) end) as having_it
        from (
            select
                *,
                count(distinct case when not means_missing then ({persons}) end)
                    over (partition by {values}) as everybody
            from judged
        )
        group by {values}, alike, everybody
    )
    group by {values}
)

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
