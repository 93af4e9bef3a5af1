-- How many values of a level have more than one value above them.
--
-- below     the level
-- above     the level above it
-- declared  the hierarchy's lines
--
-- One row. Without the distinct, two leaves under one parent would count as two parents.
select count(*) as children
from (
    select {below}
    from (
        select distinct
            {below},
            {above}
        from {declared}
    )
    group by {below}
    having count(*) > 1
)
