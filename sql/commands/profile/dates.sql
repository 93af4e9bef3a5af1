-- Formats of the dates in a column, with few exceptions.
--
-- $few    as many values may be none
-- years   one #years per form
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
-- Number of years spanned by the dates, and number of other values; missing if there are too many of these.
--
-- $few     as many may be none
-- instant  the value as a date
case
    when count(*) - count({instant}) <= least($few, count(*) / 10)
    then [max(year({instant})) - min(year({instant})), count(*) - count({instant})]
end

-- section: several
-- Combinations of formats of the dates in a column, if no format reads nearly all values.
--
-- years   the year of the value by each form
-- column  the column
-- text    its values as texts
-- rows    the table
--
-- One row per set of formats, by their places from 0 on: number of values read by exactly these, and their years.
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

-- section: year
-- The year of a value.
--
-- instant  the value as a date
year({instant})
