-- A cell of any type as a value that leaves its database as it is: two cells that somebody can tell apart differ.
--
-- exact  store/cell/exact of the cell
{exact}
