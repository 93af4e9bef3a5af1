-- Traces of typing in the values of a column: spaces at ends, case, accents, texts meaning missing, marks in numbers,
-- numbers meaning missing, and codes without their leading zeros.
--
-- $unknown  texts meaning missing, folded
-- $none     numbers meaning missing
-- $spaces   the characters that are spaces
-- text      the column's values as texts
-- folded    store/text#folded of text
-- rows      the table
--
-- One row.
with counted as (
    select
        {text} as text,
        count(*) as rows
    from {rows}
    group by all
),
typed as materialized (
    select
        rows,
        trim(text, $spaces) as text,
        text <> trim(text, $spaces) as is_loose,
        {folded} as folded
    from counted
    where length(text) <= 60  -- nobody has typed longer ones again and again
),
numbers as materialized (
    select
        text,
        rows,
        try_cast(text as double) as number
    from typed
),
plain as (
    select
        min(number) as low,
        max(number) as high
    from numbers
    where not list_contains($none, text)
),
codes as materialized (
    select distinct
        text,
        length(text) as digits
    from typed
    where not list_contains($unknown, folded)
),
longest as (
    select max(digits) as digits
    from codes
    having bool_and(regexp_full_match(text, '[0-9]+'))
)
select
    count(*) filter (where is_loose) > 0 as are_loose,
    count(distinct text) - count(distinct lower(text)) as cased,
    count(distinct lower(text)) - count(distinct folded) as accented,
    coalesce(sum(rows) filter (where text = upper(text)) * 2 > sum(rows), false) as are_upper,
    coalesce(list_sort(list(distinct text) filter (where list_contains($unknown, folded))), []) as unknown,
    list_sort(list(distinct lower(text)) filter (where length(text) < 10))[1:40] as words,
    count(*) filter (where not list_contains($unknown, folded)) as present,
    [
        count(*) filter (
            where regexp_full_match(text, '-?[1-9][0-9]{0,2}(\.[0-9]{3,3})+,[0-9]+|-?[1-9][0-9]{0,2}(\.[0-9]{3,3}){2,}')
        ),
        count(*) filter (
            where regexp_full_match(text, '-?[1-9][0-9]{0,2}(,[0-9]{3,3})+\.[0-9]+|-?[1-9][0-9]{0,2}(,[0-9]{3,3}){2,}')
        ),
        count(*) filter (where regexp_full_match(text, '-?[0-9]+,([0-9]{1,2}|[0-9]{4,})|-?0,[0-9]+')),
        count(*) filter (where regexp_full_match(text, '[1-9][0-9]{0,2} [0-9]{3,3}'))
    ] as sure,
    [
        count(*) filter (where regexp_full_match(text, '-?([0-9]+|[1-9][0-9]{0,2}(\.[0-9]{3,3})+)(,[0-9]+)?')),
        count(*) filter (where regexp_full_match(text, '-?([0-9]+|[1-9][0-9]{0,2}(,[0-9]{3,3})+)(\.[0-9]+)?')),
        count(*) filter (where regexp_full_match(text, '-?[0-9]+(,[0-9]+)?')),
        count(*) filter (where regexp_full_match(text, '[0-9]+|[1-9][0-9]{0,2} [0-9]{3,3}'))
    ] as fitting,
    count(*) filter (where regexp_full_match(text, '-?[1-9][0-9]{0,2},[0-9]{3,3}')) as unsure,
    count(*) filter (where regexp_full_match(text, '-?[0-9]+(\.[0-9]+)?')) as plain,
    (
        select coalesce(list_sort(list(text)), [])
        from numbers, plain
        where list_contains($none, text)
            and rows > 1
            and (number > 2 * greatest(high, 0) or (number < 0 and low >= 0))
    ) as nones,
    (
        select coalesce(list_sort(list(text)), [])
        from numbers, plain
        where list_contains($none, text)
            and rows > 1
            and number between high + 5 and 2 * high
            and high - low > 5
    ) as last,
    (
        -- The longest codes begin with a zero, and a twentieth of these are there without their zeros, too.
        select longest.digits
        from longest, codes
        where longest.digits between 2 and 10
        group by longest.digits
        having not bool_or(codes.digits < longest.digits and starts_with(text, '0'))
            and len(
                list_intersect(
                    list(ltrim(text, '0')) filter (where codes.digits = longest.digits and starts_with(text, '0')),
                    list(text) filter (where codes.digits < longest.digits)
                )
            ) >= greatest(
                1,
                count(*) filter (where codes.digits = longest.digits and starts_with(text, '0')) / 20
            )
    ) as digits
from typed
