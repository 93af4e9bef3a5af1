-- A local recoding as a mapping: the levels of a tuple's rows, numbered in an order that depends on the seed.
--
-- seed      determines the order of a tuple's rows
-- codes     code_1, code_2, …: the leaves of the tuple
-- levels    level_1, level_2, …, and text_1, … of attributes with ranges
-- recoding  the recoding
--
-- One row per row of the recoding. It applies to the tuple's rows with numbers above lower and up to upper; salt
-- determines the numbers. The last one for a tuple has no upper bound: if the source has grown, the release has too
-- many rows, and the recount reports it.
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
