-- Number of a column's values equal to others with another text: 0.0 and -0.0, one month and 30 days.
--
-- cell    the column
-- exact   its exact text
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
