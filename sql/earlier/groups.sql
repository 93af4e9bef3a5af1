-- Groups of rows by the class that they have in an earlier release and in this one. Which of a tuple's rows are in both
-- where their numbers differ, or where it was split, nobody can tell: as many as can be.
--
-- earlier  earlier/tuples of the earlier release
-- now      earlier/tuples of this one
-- match    one #match per quasi-identifier
--
-- One row per group; of rows that are in one of the two alone, the other class is missing.
with
earlier as (
    from {earlier}
),
now as (
    from {now}
),
pieces as (
    select
        earlier.class as earlier_class,
        now.class,
        least(earlier.lower + earlier.rows, now.lower + now.rows) - greatest(earlier.lower, now.lower) as rows
    from earlier
    join now
        on {match}
    where least(earlier.lower + earlier.rows, now.lower + now.rows) > greatest(earlier.lower, now.lower)
    union all
    select
        earlier.class as earlier_class,
        null as class,
        earlier.lower + earlier.rows - greatest(earlier.lower, coalesce(now.total, 0)) as rows
    from earlier
    left join now
        on now.lower = 0
        and {match}
    where earlier.lower + earlier.rows > coalesce(now.total, 0)
    union all
    select
        null as earlier_class,
        now.class,
        now.lower + now.rows - greatest(now.lower, coalesce(earlier.total, 0)) as rows
    from now
    left join earlier
        on earlier.lower = 0
        and {match}
    where now.lower + now.rows > coalesce(earlier.total, 0)
)
select
    earlier_class,
    class,
    cast(sum(rows) as bigint) as rows
from pieces
group by
    earlier_class,
    class

-- section: match
-- A value of a tuple is that of another; the missing value is equal to itself.
--
-- earlier  its column of the earlier release's tuples
-- now      its column of this one's
earlier.{earlier} is not distinct from now.{now}
