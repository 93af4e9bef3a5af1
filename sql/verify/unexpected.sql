-- How many generalized tuples a staged release has more or less often than its recoding says.
--
-- names     cell_1, cell_2, …
-- cells     one verify/cell per quasi-identifier, by these names
-- release   the statement that reads it back
-- expected  recoding/generalized
--
-- One row.
select count(*) as tuples
from (
    select 1
    from (
        select
            {cells},
            1 as frequency
        from (
{release}
        )
        union all
        select
            {names},
            -frequency
        from (
{expected}
        )
    )
    group by {names}
    having sum(frequency) <> 0
)
