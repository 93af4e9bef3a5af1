-- Count a script's release again before it goes out: where it is not what it should be, there is nothing left to
-- publish, even for a client that goes on after an error.
--
-- violated           one condition per privacy model: a class violates it
-- counts             what they are of: count(*) as size, and more of a class
-- released           the rows that were released when the script was made
-- rows               the rows that the source had then: one whose value has no leaf is lost without a trace
-- source             the source
-- quasi_identifiers  the generalized columns
-- release            the release
begin not atomic
    if (
        select
            {violated} or coalesce(sum(size), 0) <> {released}
            or (select count(*) from {source}) <> {rows}
        from (
            select
                {counts}
            from {release}
            group by {quasi_identifiers}
        ) as classes
    ) then
        drop temporary table {release};
        signal sqlstate '45000'
            set message_text = 'not the source that this script was made for: nothing is released';
    end if;
end
