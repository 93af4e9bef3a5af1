-- How often some texts are cells of the first rows of a table. Which rows are the first does not matter.
--
-- $texts  the texts
-- cells   its columns, which are texts
-- rows    the table
--
-- One row per text that occurs, and one for missing cells.
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
