-- How many classes of the release before can be told apart by what became of their rows: fewer than k of them are gone,
-- or fewer than k stay.
--
-- $k      k
-- before  what the release before has shown
-- now     what this one shows
-- class   what tells classes apart: turn, cell_1, cell_2, …
-- rows    what tells rows apart: row, value_1, value_2, …, and those
-- match   one star/recoding/recode#same per column of those
--
-- One row. A row stays where it reads as it did.
select count(*)
from (
    select
        sum(before.rows) as shown,
        sum(least(before.rows, coalesce(now.rows, 0))) as stay
    from (
        select
            {rows},
            sum(rows) as rows
        from {before}
        group by all
    ) as before
    left join (
        select
            {rows},
            sum(rows) as rows
        from {now}
        group by all
    ) as now
        on {match}
    group by {class}
)
where shown - stay between 1 and $k - 1
    or stay between 1 and $k - 1

-- section: known
-- How many rows are known again by all of their kept cells, though they are shown otherwise than before: fewer than k
-- share these cells, and one that went, now or once, or is held, is shown in another class, too.
--
-- $k      k
-- before  what the release before has shown
-- now     what this one shows
-- class   what tells classes apart: turn, cell_1, cell_2, …
-- there   #rows of the source
--
-- One row.
select count(*)
from (
    select
        row,
        sum(before) as before,
        sum(now) as now,
        bool_or(before > now) or bool_or(gone) as went,
        bool_or(now > before) as came
    from (
        select
            row,
            {class},
            sum(before) as before,
            sum(now) as now,
            bool_or(gone) as gone
        from (
            select
                row,
                {class},
                rows as before,
                0 as now,
                gone
            from {before}
            union all
            select
                row,
                {class},
                0 as before,
                rows as now,
                false as gone
            from {now}
            where not gone
        )
        group by
            row,
            {class}
    )
    group by row
) as shown
left join (
    {there}
) as there
    on there.row = shown.row
where shown.came
    and (shown.went or shown.now > coalesce(there.rows, 0))
    and greatest(shown.before, coalesce(there.rows, 0)) < $k

-- section: rows
-- The rows of the source by their kept cells.
--
-- hash    companions/refresh/refresh#hash of the kept cells
-- source  the source, without rows that are held
--
-- One row per kept cells.
select
    {hash} as row,
    count(*) as rows
from {source} as source
group by all
