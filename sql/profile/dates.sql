-- By which forms the values of a column are dates, but for a few.
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
-- How many years dates span, and how many values are none; missing where too many are.
--
-- $few     as many may be none
-- instant  the value as a date
case
    when count(*) - count({instant}) <= least($few, count(*) / 10)
    then [max(year({instant})) - min(year({instant})), count(*) - count({instant})]
end
