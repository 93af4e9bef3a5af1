-- Count a script's release again before it goes out: where it is not what it should be, the transaction is rolled back
-- and there is nothing left to publish, even for a client that goes on after an error.
--
-- violated           one condition per privacy model: a class violates it
-- counts             what they are of: count(*) as size, and more of a class
-- released           the rows that were released when the script was made
-- rows               the rows that the source had then: one whose value has no leaf is lost without a trace
-- source             the source
-- quasi_identifiers  the generalized columns
-- release            the release
insert or rollback into temp.starcloak_recounted (holds)
select
    not ({violated}) and coalesce(sum(size), 0) = {released}
    and (select count(*) from {source}) = {rows}
from (
    select
        {counts}
    from {release}
    group by {quasi_identifiers}
) as classes
