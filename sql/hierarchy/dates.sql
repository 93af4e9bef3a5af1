-- Dates with less precision at every level, then *.
--
-- levels   the chosen columns of the inner select and hierarchy/top, as level_1, level_2, …
-- domain   the attribute's values
-- instant  #iso or #formats: the value as a date
--
-- One row per date value, and one for the missing value, which stays missing until the top.
select
    true as present,
    value,
    cast(value as varchar) as level_0,
    {levels}
from (
    select
        value,
        instant,
        strftime(instant, '%Y-%m-%d') as day,
        strftime(instant, '%G-W%V') as week,
        strftime(instant, '%Y-%m') as month,
        year(instant) || '-Q' || quarter(instant) as quarter,
        cast(year(instant) as varchar) as year,
        year(instant) - (year(instant) % 10) || 's' as decade,
        year(instant) - (year(instant) % 100) || '-' || year(instant) - (year(instant) % 100) + 99 as century
    from (
        select
            value,
            {instant} as instant
        from {domain}
    )
)
where (isfinite(instant) and year(instant) > 0)
    or value is null

-- section: iso
-- A date, a timestamp or a text of the form 2001-12-31 as a date; missing for other values.
try_cast(value as date)

-- section: formats
-- A text as a date by one of several formats; missing if two formats read different dates, or none reads one.
--
-- read  one #read per format
case when len(list_distinct([{read}])) = 1 then list_distinct([{read}])[1] end

-- section: read
-- A text as a date by one format; missing for other texts. Years below 1000 are missing, too: they come from two digits
-- read as a year of four.
--
-- format  the format
case when year(try_strptime(value, {format})) >= 1000 then cast(try_strptime(value, {format}) as date) end

-- section: spelled
-- Number of dates (with their times) that have several spellings among the values.
--
-- read    one #moment per format
-- domain  the attribute's values
--
-- One row.
select count(*) as dates
from (
    select list_distinct([{read}]) as moments
    from {domain}
    where len(moments) = 1
    group by moments
    having count(*) > 1
)

-- section: moment
-- A text as a date and a time by one format; missing for other texts and for years below 1000, as in #read.
--
-- format  the format
case when year(try_strptime(value, {format})) >= 1000 then try_strptime(value, {format}) end
