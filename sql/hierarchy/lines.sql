-- The lines of a hierarchy's CSV file, if no cell has quotes or blanks around it and no line is empty.
--
-- cells      level_0 as #leaf, then one #label per level, as level_1, level_2, …
-- line       hierarchy/cast of the line
-- delimiter  the text between two cells
-- lines      the relation with the file's lines, as line
-- width      the number of cells per line
--
-- One row per line with this number of cells.
select
    {cells}
from (
    select string_split({line}, {delimiter}) as cells
    from {lines}
)
where len(cells) = {width}

-- section: leaf
-- The first cell of a line; an empty one declares the missing value.
nullif(cells[1], '')

-- section: label
-- A further cell of a line.
--
-- number  the position of the cell in its line, from 1
cells[{number}]

-- section: tops
-- Texts in the last cell of lines, up to three, each with its number of lines: a header and the top are two.
--
-- top       the column with the last cell
-- declared  the hierarchy's lines
--
-- One row per text.
select
    {top},
    count(*) as lines
from {declared}
group by {top}
limit 3

-- section: spellings
-- Number of labels with several spellings, different in case or blanks alone.
--
-- labels    level_1, level_2, …
-- declared  the hierarchy's lines
--
-- One row.
select count(*) as labels
from (
    select lower(trim(regexp_replace(label, '[\s\pZ]+', ' ', 'g'))) as spelled
    from (
        select distinct unnest([{labels}]) as label
        from {declared}
    )
    group by spelled
    having count(*) > 1
)
