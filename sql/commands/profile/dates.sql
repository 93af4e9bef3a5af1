-- Date formats of a column: for each known format, the years spanned if nearly all values are dates.
--
-- $few    the largest number of values that are no dates
-- years   one #years per format
-- column  the column
-- text    its values as texts
-- rows    the table
--
-- One row.
select
    {years}
from (
    select distinct {text} as value
    from {rows}
    where {column} is not null
)

-- section: years
-- For one format a pair: the years spanned by the dates, and the number of values that are no dates in this format;
-- null if such values are more than $few, or more than a tenth of all values.
--
-- $few     the largest number of values that are no dates
-- instant  the value as a date, null for other values
case
    when count(*) - count({instant}) <= least($few, count(*) / 10)
    then [max(year({instant})) - min(year({instant})), count(*) - count({instant})]
end

-- section: several
-- Combinations of formats of the dates in a column, if no format reads nearly all values.
--
-- years   the year of the value by each format
-- column  the column
-- text    its values as texts
-- rows    the table
--
-- One row per set of formats (positions from 0): number of values read as dates by exactly these formats, and the first
-- and last year of these dates.
select
    list_filter(range(len(years)), lambda place: years[place + 1] is not null) as forms,
    count(*) as found,
    min(list_min(years)) as first,
    max(list_max(years)) as last
from (
    select [{years}] as years
    from (
        select distinct {text} as value
        from {rows}
        where {column} is not null
    )
)
group by forms

-- section: read
-- A date in one form, of a text in one of several formats; another text unchanged.
--
-- column   the column
-- formats  the formats
coalesce(cast(try_strptime({column}, [{formats}]) as varchar), {column})

-- section: year
-- The year of a value.
--
-- instant  the value as a date
year({instant})
