-- Number of cells with each of the texts $texts, in 100,000 arbitrary rows of a table.
--
-- $texts  the texts
-- cells   the table's columns, all texts
-- rows    the table
--
-- One row per present text, and one for missing cells.
select
    cell,
    count(*) as times
from (
    select unnest([{cells}]) as cell
    from (
        select *
        from {rows}
        limit 100000
    )
)
where cell is null
    or list_contains($texts, cell)
group by cell
