-- A mapping, for a script: which rows of a tuple go to which levels.
--
-- mapping  its name
-- columns  its columns
-- parts    one row each
create temporary table {mapping} as
select *
from (
    values
    {parts}
) as mapping ({columns})
