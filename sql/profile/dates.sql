-- By which forms all values of a column are dates.
--
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
-- How many years dates span; missing where some values are none.
--
-- instant  the value as a date
case when count({instant}) = count(*) then max(year({instant})) - min(year({instant})) end
