-- Recount of a staged release: the sizes of its equivalence classes.
--
-- quasi_identifiers  its generalized columns
-- release            the statement that reads it back
--
-- One row. Missing values of a column are equal to each other and to nothing else.
select
    count(*) as classes,
    cast(coalesce(sum(size), 0) as bigint) as rows,
    min(size) as smallest,
    coalesce(sum(cast(size as hugeint) * size), 0) as squares
from (
    select count(*) as size
    from (
{release}
    )
    group by {quasi_identifiers}
)
