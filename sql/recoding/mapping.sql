-- A local recoding as a mapping: which of a tuple's rows, in some order, go to which levels.
--
-- codes     code_1, code_2, …
-- levels    level_1, level_2, …
-- recoding  the recoding
--
-- One row per row of the recoding: the tuple's rows after lower, up to upper.
select
    row_number() over (order by {codes}, suppressed, {levels}) as part,
    {codes},
    {levels},
    cast(sum(frequency) over parts - frequency as bigint) as lower,
    cast(sum(frequency) over parts as bigint) as upper,
    suppressed
from {recoding}
window parts as (
    partition by {codes}
    order by suppressed, {levels}
    rows between unbounded preceding and current row
)
