-- Number of recoded tuples with a range that does not contain the tuple's number. 0 is correct.
--
-- recoding  the recoding
-- table     the attribute's dimension table
-- code      the attribute's code column
-- level     the attribute's level column
-- text      the column of the attribute's range texts
-- ends      verify/ranges#read of a range text
-- holds     verify/ranges#holds
--
-- One row.
select count(*)
from (
    select
        recoding.{text} as released,
        member.level_1 as top,
        member.number,
        {ends}
    from {recoding} as recoding
    join {table} as member
        on member.code = recoding.{code}
    where not recoding.suppressed
        and recoding.{level} > 0
) as ranged
where released is distinct from top
    and not {holds}

-- section: intervals
-- Number of leaves in an interval of their hierarchy that does not contain the leaf, or has an end not permitted. 0 is
-- correct.
--
-- table  the attribute's dimension table
-- ends   verify/ranges#read of an interval, without its part about the missing value
-- holds  verify/ranges#holds
-- low    verify/ranges#allowed of the lower end
-- high   verify/ranges#allowed of the upper end
--
-- One row. The missing value belongs to itself, or to an interval with a part for missing values.
select count(*)
from (
    select
        level_1,
        number as of_member,
        {ends}
    from {table}
) as present
where not case
    when of_member is null then coalesce(ends_with(level_1, ' or missing'), true)
    else {holds} and {low} and {high}
end
