-- Rows of earlier releases and of this one, side by side. Of the rows of one key, which is a tuple or a person's tuple,
-- nobody can tell which are in both where their numbers differ, or where they were split: as many as can be.
--
-- keys     what rows are known by, one #key per column
-- earlier  #side of the earlier releases
-- now      #side of this one
-- match    one #match per column
--
-- One row per key and part: earlier_class and class, which are missing where a row is in none; whether it was before,
-- and is in the source now (before, after).
with
earlier as (
    {earlier}
),
now as (
    {now}
)
select
    {keys},
    earlier.class as earlier_class,
    now.class,
    greatest(coalesce(earlier.lower, 0), coalesce(now.lower, 0)) as lower,
    least(coalesce(earlier.upper, now.upper), coalesce(now.upper, earlier.upper))
    - greatest(coalesce(earlier.lower, 0), coalesce(now.lower, 0)) as rows,
    coalesce(earlier.there, false) as before,
    coalesce(now.there, false) as after
from earlier
full join now
    on {match}
    and earlier.lower < now.upper
    and now.lower < earlier.upper
where coalesce(earlier.there, false)
    or coalesce(now.there, false)

-- section: key
-- A column of a key.
--
-- key  its name
coalesce(earlier.{key}, now.{key}) as {key}

-- section: match
-- A column of a key is that of another; the missing value is equal to itself.
--
-- key  its name
earlier.{key} is not distinct from now.{key}

-- section: side
-- Rows by their classes, and of each key those of no class, beyond all others.
--
-- names  the columns of a key
-- rows   the rows by their classes: the columns of a key, class, rows, lower
--
-- One row per key and part: where it begins and ends (lower, upper), and whether it is there.
select
    {names},
    class,
    lower,
    lower + rows as upper,
    true as there
from {rows}
union all
select
    {names},
    null as class,
    max(lower + rows) as lower,
    9223372036854775807 as upper,
    false as there
from {rows}
group by {names}
