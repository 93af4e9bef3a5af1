-- How many tuples of a recoding have a range that does not hold their number.
--
-- recoding  the recoding
-- table     the attribute's dimension table
-- code      its code column
-- level     its level column
-- text      the column of its ranges' texts
--
-- One row. The ends of a range are read from its text, as a recipient reads them.
select count(*)
from {recoding} as recoding
join {table} as member
    on member.code = recoding.{code}
where not recoding.suppressed
    and recoding.{level} > 0
    and recoding.{text} is distinct from member.level_1
    and not coalesce(
        member.number between
            try_cast(regexp_extract(recoding.{text}, '^\[([-0-9.]+), ([-0-9.]+)\]$', 1) as decimal(38, 18))
            and try_cast(regexp_extract(recoding.{text}, '^\[([-0-9.]+), ([-0-9.]+)\]$', 2) as decimal(38, 18)),
        false
    )
