-- The rows of a release, each with the number of its equivalence class.
--
-- columns   the quasi-identifiers as cell_1, …, each a #text, and the other columns as known_1, …
-- cells     cell_1, cell_2, …
-- released  the release
--
-- One row per row of the release.
select
    *,
    dense_rank() over (order by {cells}) as class
from (
    select
        {columns}
    from {released} as released
) as released

-- section: text
-- A released cell as a text.
--
-- column  the column of the cell
cast({column} as varchar)

-- section: classes
-- The equivalence classes of the release: number, cells of the quasi-identifiers, and number of rows.
--
-- cells     cell_1, cell_2, …
-- released  commands/attacks/released
--
-- One row per class.
select
    class,
    {cells},
    count(*) as rows
from {released}
group by all
