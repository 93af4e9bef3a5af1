-- Count a script's release again before it goes out: an error ends the transaction, and nothing is published.
--
-- violated           one condition per privacy model: a class violates it
-- counts             what they are of: count(*) as size, and more of a class
-- released           the rows that were released when the script was made
-- rows               the rows that the source had then: one whose value has no leaf is lost without a trace
-- source             the source
-- quasi_identifiers  the generalized columns
-- release            the release
--
-- One row.
select
    case
        when {violated} or coalesce(sum(size), 0) <> {released}
            or (select count(*) from {source}) <> {rows}
        then error('not the source that this script was made for: nothing is released')
        else 'k = ' || cast(coalesce(min(size), 0) as varchar)
    end as recounted
from (
    select
        {counts}
    from {release}
    group by {quasi_identifiers}
)

-- section: class_size
-- The rows of a class.
count(*) as size
