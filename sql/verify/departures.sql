-- How many classes of the release before can be told apart by what became of their rows: fewer than k of them are gone,
-- or fewer than k stay.
--
-- $k      k
-- before  what the release before has shown
-- now     what this one shows
-- class   what tells classes apart: turn, cell_1, cell_2, …
-- rows    what tells rows apart: row, value_1, value_2, …, and those
-- match   one release/recode#same per column of those
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
        where rows > 0
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
