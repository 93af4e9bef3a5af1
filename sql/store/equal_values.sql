-- Number of values of a column that have several texts, such as 0.0 and -0.0, or one month and 30 days.
--
-- cell    the column
-- exact   the exact text of a cell
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
