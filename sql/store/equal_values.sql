-- How many values of a column are equal to others that read otherwise: 0.0 and -0.0, one month and 30 days.
--
-- cell    the column
-- exact   what it reads, exactly
-- source  the source
--
-- One row.
select count(*) as alike
from (
    select 1 as one
    from {source} as source
    group by {cell}
    having count(distinct {exact}) > 1
) as found
