-- Recount of a staged release: the one statement that reads its generalized columns back.
--
-- cells              one verify/cell per quasi-identifier, as cell_1, cell_2, …; for several QIDs also the columns as
--                    they are, as value_1, value_2, …
-- release            the statement that reads it back
-- quasi_identifiers  its generalized columns
-- anonymity          one verify/anonymity per QID of some of the quasi-identifiers
-- strangers          one verify/strangers per quasi-identifier
-- unexpected         verify/unexpected, or 0
--
-- One row: the equivalence classes, their rows, the smallest and the sum of their squared sizes. Missing values of a
-- column are equal to each other and to nothing else.
with staged as materialized (
    select
        {cells},
        count(*) as size
    from (
{release}
    )
    group by {quasi_identifiers}
)
select
    count(*) as classes,
    cast(coalesce(sum(size), 0) as bigint) as rows,
    min(size) as smallest,
    coalesce(sum(cast(size as hugeint) * size), 0) as squares,
    [{anonymity}] as anonymity,
    {strangers},
    {unexpected} as unexpected
from staged
