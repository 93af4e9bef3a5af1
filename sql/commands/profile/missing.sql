-- Number of cells with one of some texts in the first rows of a table. Any rows may be the first.
--
-- $texts  the texts
-- cells   its columns, all texts
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
