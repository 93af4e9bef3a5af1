-- A local recoding as a mapping: the levels of a tuple's rows, in some order.
--
-- seed      decides that order
-- codes     code_1, code_2, …
-- levels    level_1, level_2, …, and text_1, … of attributes with ranges
-- recoding  the recoding
--
-- One row per row of the recoding: the tuple's rows after lower, up to upper, in the order given by its salt. The last
-- part has no upper end: if the source has grown, its rows are too many, and the recount reports it.
select
    row_number() over (order by {codes}, suppressed desc, {levels}) as part,
    {codes},
    {levels},
    cast(hash({seed}, {codes}) % 2147483647 as bigint) as salt,
    cast(sum(frequency) over parts - frequency as bigint) as lower,
    case
        when lead(true) over (partition by {codes} order by suppressed desc, {levels})
        then cast(sum(frequency) over parts as bigint)
    end as upper,
    suppressed
from {recoding}
window parts as (
    partition by {codes}
    order by suppressed desc, {levels}
    rows between unbounded preceding and current row
)
