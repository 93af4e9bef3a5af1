-- Rows of earlier releases matched with rows of the new release by their key (the tuple, or person and tuple). If a
-- key's numbers of rows differ, or its rows are in several classes, the largest possible number of rows is matched.
--
-- keys     the keys of rows, one #key per column
-- earlier  #side of the earlier releases
-- now      #side of the new release
-- match    one #match per column
--
-- One row per key and part (rows with the same two classes): earlier_class and class, missing if the rows have no class
-- in the earlier releases or the new one; before and after, true if the rows are in the earlier and in the current
-- source.
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
-- key  the column's name
coalesce(earlier.{key}, now.{key}) as {key}

-- section: match
-- Condition for equal columns of two keys; missing values are equal.
--
-- key  the column's name
earlier.{key} is not distinct from now.{key}

-- section: side
-- Rows of one side by their classes, each as a range of numbers within the key. A last, open range per key stands for
-- absent rows, to be matched with further rows of the other side.
--
-- names  the columns of a key
-- rows   the rows by their classes: the columns of a key, class, rows, lower
--
-- One row per key and range: the numbers above lower, up to upper; there is false for absent rows.
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

-- section: is_whole
-- True if no key has rows in several parts.
--
-- earlier  the rows of earlier releases, by their classes
-- now      the rows of the new release, by their classes
--
-- One row.
select
    not exists (
        select 1
        from {earlier}
        where lower > 0
    )
    and not exists (
        select 1
        from {now}
        where lower > 0
    ) as is_whole

-- section: whole
-- The same matched rows as in the main statement, by one join. It requires all rows of each key in one class.
--
-- names    the columns of a key
-- keys     the keys of rows, one #key per column
-- earlier  the rows of earlier releases, by their classes
-- now      the rows of the new release, by their classes
-- match    one #match per column
--
-- One row per key and part, with the main statement's columns: rows in both (part 0), only in the earlier releases (1),
-- or only in the new release (2).
select
    {names},
    case when part < 2 then earlier_class end as earlier_class,
    case when part <> 1 then class end as class,
    case part when 0 then 0 when 1 then rows_after else rows_before end as lower,
    case part
        when 0 then least(rows_before, rows_after)
        when 1 then rows_before - rows_after
        else rows_after - rows_before
    end as rows,
    part < 2 as before,
    part <> 1 as after
from (
    select
        {keys},
        earlier.class as earlier_class,
        now.class,
        coalesce(earlier.rows, 0) as rows_before,
        coalesce(now.rows, 0) as rows_after
    from {earlier} as earlier
    full join {now} as now
        on {match}
) as matched
cross join (values (0), (1), (2)) as parts(part)
where case part
    when 0 then rows_before > 0 and rows_after > 0
    when 1 then rows_before > rows_after
    else rows_after > rows_before
end
