-- Count a script's release again before it goes out: where it is not what it should be, there is nothing left to
-- publish, even for a client that goes on after an error.
--
-- k                  the smallest allowed class
-- released           the rows that were released when the script was made
-- rows               the rows that the source had then: one whose value has no leaf is lost without a trace
-- source             the source
-- quasi_identifiers  the generalized columns
-- release            the release
begin not atomic
    if (
        select
            coalesce(min(size), {k}) < {k} or coalesce(sum(size), 0) <> {released}
            or (select count(*) from {source}) <> {rows}
        from (
            select count(*) as size
            from {release}
            group by {quasi_identifiers}
        ) as classes
    ) then
        drop temporary table {release};
        signal sqlstate '45000'
            set message_text = 'not the source that this script was made for: nothing is released';
    end if;
end
