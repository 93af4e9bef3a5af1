-- Number of classes in the last release with a revealing change: 1 to k - 1 rows of the class leave the release, or 1
-- to k - 1 rows stay.
--
-- $k      k
-- before  the rows of the last release, and of earlier releases (with until)
-- now     the rows of the new release, and of earlier releases (with until)
-- class   the key of classes: turn, cell_1, cell_2, …
-- rows    the key of rows: row, value_1, value_2, …, and the key of classes
-- match   one store/same per column in rows
--
-- One row. A row stays if its cells are unchanged.
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
        where until is null
        group by all
    ) as before
    left join (
        select
            {rows},
            sum(rows) as rows
        from {now}
        where until is null
        group by all
    ) as now
        on {match}
    group by {class}
)
where shown - stay between 1 and $k - 1
    or stay between 1 and $k - 1

-- section: known
-- Number of combinations of kept (not generalized) cells by which a reader recognizes a row although its class changed:
-- fewer than k rows share these cells, a row with these cells left its class or is held, and a row with the same cells
-- is new in another class.
--
-- $k      k
-- before  the rows of the last release, and of earlier releases (with until)
-- now     the rows of the new release, and of earlier releases (with until)
-- class   the key of classes: turn, cell_1, cell_2, …
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
                case when until is null then rows else 0 end as before,
                0 as now,
                until is not null as gone
            from {before}
            union all
            select
                row,
                {class},
                0 as before,
                rows as now,
                false as gone
            from {now}
            where until is null
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
-- Number of source rows per combination of kept cells.
--
-- hash    companions/refresh/refresh#hash of the kept cells
-- source  the source, without held rows
--
-- One row per combination of kept cells: the hash of the cells (row), and the number of rows (rows).
select
    {hash} as row,
    count(*) as rows
from {source} as source
group by all
