-- Number of a recoding's tuples with a range that does not contain their number.
--
-- recoding  the recoding
-- table     the attribute's dimension table
-- code      its code column
-- level     its level column
-- text      the column of its ranges' texts
-- ends      verify/ranges#read of such a text
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
-- Number of an attribute's values, with intervals as a level of its hierarchy, in an interval that does not contain
-- them, or whose ends are not allowed.
--
-- table  the attribute's dimension table
-- ends   verify/ranges#read of an interval, without its part about the missing value
-- holds  verify/ranges#holds
-- low    verify/ranges#allowed of the lower end
-- high   verify/ranges#allowed of the upper end
--
-- One row. The missing value goes to itself, or to an interval that says so.
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
