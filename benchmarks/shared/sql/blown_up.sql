-- Adult blown up to more rows (Fung, Wang, Yu 2007, section 5.3): beside each record, variations of it, in which one or
-- more attributes, up to all, have values drawn from their domains.
--
-- $seed     an integer: the same seed and rows give the same rows in some order
-- $rows     how many rows
-- $persons  how many records there are
-- tickets   one ticket.sql per attribute: which attributes are drawn is random
-- cells     one replaced.sql per attribute
-- domains   domains.sql
-- numbered  numbered.sql
--
-- One row per record and variation; variation 0 is the record. Where not all records fit, or not all variations of a
-- number, the seed chooses which do.
select
    {cells}
from (
    select
        numbered.*,
        variation,
        [{tickets}] as tickets,
        1 + md5_number_lower(concat_ws('/', cast($seed as bigint), place, variation)) % len(tickets) as drawn
    from (
        select
            *,
            row_number() over (order by md5_number_lower(concat_ws('/', cast($seed as bigint), place)), place) as turn
        from {numbered}
    ) as numbered
    join range(1 + cast($rows as bigint) // cast($persons as bigint)) as variations (variation)
        on variation * cast($persons as bigint) + turn <= cast($rows as bigint)
)
cross join {domains} as domain
