-- Figures of a column's values, for choosing the column's role and hierarchy. Shares of values with a pattern are of a
-- sample of 2,000 different values; counts, lengths and ranges are of all values.
--
-- column  the column
-- text    its values as texts
-- rows    the table
--
-- One row.
with counted as materialized (
    select
        {text} as text,
        count(*) as rows
    from {rows}
    where {column} is not null
    group by all
),
sampled as materialized (
    select text
    from counted
    order by hash(text)
    limit 2000
),
dated as (
    select
        regexp_matches(
            text,
            '^([0-9]{1,2}[./ -]([0-9]{1,2}|[A-Za-z]{3,3})[./ -][0-9]{4,4}|[A-Za-z]{3,3} [0-9]{1,2}, [0-9]{4,4}'
            || '|[0-9]{4,4}-[0-9]{2,2}-[0-9]{2,2})( [0-9]{1,2}:[0-9:]+( [AaPp][Mm])?)?$|^(19|20)[0-9]{6,6}$'
        ) as is_like_date,
        regexp_matches(
            text, '^[0-9]{1,2}([./-])([0-9]{1,2}|[A-Za-z]{3,3})[./-][0-9]{2,2}( [0-9]{1,2}:[0-9:]+)?$'
        ) as is_short
    from sampled
)
select
    cast(coalesce(sum(rows), 0) as bigint) as present,
    count(*) as found,
    coalesce(list(rows order by rows desc)[:24], []) as frequent,
    coalesce(min(length(text)), 0) as shortest,
    coalesce(max(length(text)), 0) as longest,
    count(*) filter (where try_cast(text as decimal(38, 18)) is null or length(text) > 18) as no_numbers,
    count(*) filter (where try_cast(text as decimal(38, 18)) % 1 <> 0) = 0 as are_whole,
    count(*) filter (where text[1] = '0' and length(text) > 1 and text[2] not in ('.', ',')) > 0 as are_padded,
    quantile_cont(try_cast(text as double), 0.02) as low,
    quantile_cont(try_cast(text as double), 0.98) as high,
    count(*) filter (
        where coalesce(not isfinite(try_cast(text as date)) or year(try_cast(text as date)) < 1000, true)
    ) = 0 as are_dates,
    max(year(try_cast(text as date))) - min(year(try_cast(text as date))) as years,
    (
        select {
            'email addresses': avg(cast(regexp_matches(text, '^[^@\s]+@[^@\s]+\.[A-Za-z]+$') as integer)),
            'telephone numbers': avg(
                cast(
                    regexp_matches(text, '^[+(]?[0-9][0-9 ()/.-]{6,18}$')
                    and regexp_matches(text, '^[+(]|[0-9] [0-9]+ |[0-9]{3,4}-[0-9]{3,4}-?')
                    and try_cast(text as date) is null as integer
                )
            ),
            'internet addresses': avg(cast(regexp_matches(text, '^[0-9]{1,3}(\.[0-9]{1,3}){3,3}$') as integer)),
            'web addresses': avg(cast(regexp_matches(text, '^https?://') as integer)),
            'unique codes': avg(
                cast(
                    regexp_matches(text, '^[0-9a-fA-F]{8,8}-([0-9a-fA-F]{4,4}-){3,3}[0-9a-fA-F]{12,12}$') as integer
                )
            ),
            'JSON': avg(cast(regexp_matches(text, '^\s*[{\[].*[}\]]\s*$', 's') as integer)),
            'images or other binary content': avg(
                cast(regexp_matches(text, '^(data:.*|[A-Za-z0-9+/=_-]{80,})$') as integer)
            ),
            'social security numbers': avg(cast(regexp_matches(text, '^[0-9]{3,3}-[0-9]{2,2}-[0-9]{4,4}$') as integer))
        }
        from sampled
    ) as patterns,
    (
        select coalesce(list(text), [])
        from sampled
        where regexp_matches(text, '^[A-Z][0-9][0-9AB](\.?[0-9A-Z]{1,4})?$')
    ) as diagnoses,
    (
        select coalesce(avg(cast(length(text) <= 40 and regexp_matches(text, '^\S*[0-9]\S*$') as integer)), 0)
        from sampled
    ) as codes,
    (
        select avg(len(string_split(text, ' ')))
        from sampled
    ) as words,
    (
        select coalesce(avg(cast(is_like_date as integer)) >= 0.9, false)
        from dated
    ) as look_like_dates,
    (
        select coalesce(avg(cast(is_like_date or is_short as integer)) >= 0.9 and bool_or(is_short), false)
        from dated
    ) as have_short_years,
    case when count(*) <= 6 then list(lower(text)) else [] end as kinds
from counted
